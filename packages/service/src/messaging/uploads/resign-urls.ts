import { OBJECTS_PATH, type AddressSigner } from "../../base/objects/signed-addresses.ts";

/** Prefix of the object keys of uploads. */
export const UPLOADS_PREFIX = "uploads/";

/** Prefix of the object keys of an account's uploads, without the slash at its end. */
export const accountUploadsPrefix = (accountId: number): string => `${UPLOADS_PREFIX}${accountId}`;

/** Keys of an account share a prefix that identifies it. */
const prefixOf = (accountId: number): string => `${accountUploadsPrefix(accountId)}/`;

export const uploadKeyOf = (accountId: number, uploadId: string): string => prefixOf(accountId) + uploadId;

/** End of the object keys of thumbnails. */
export const THUMBNAIL = "-thumbnail";
export const thumbnailKeyOf = (accountId: number, uploadId: string): string =>
  uploadKeyOf(accountId, uploadId) + THUMBNAIL;

/** -> the upload id of a key; undefined unless the key is an upload of this account */
export const uploadIdOf = (accountId: number, key: string): string | undefined =>
  key.startsWith(prefixOf(accountId)) ? key.slice(prefixOf(accountId).length).replace(THUMBNAIL, "") : undefined;

/** A text without this prefix contains no upload URL. */
const UPLOAD_PATH = OBJECTS_PATH + UPLOADS_PREFIX;
/** Members such as `url` and `media_url` whose whole value is an upload URL. Its characters need no JSON escaping. */
const URL_MEMBERS = /"(\w{0,20}url)":"([^"\\]*\/objects\/uploads\/[^"\\]*)"/g;

/**
 * Renews the signature and origin of the account's own upload URLs in a JSON text. Other URLs are unchanged.
 * @assumed A URL that was validly signed stays acceptable in stored texts: readers receive a renewed URL.
 */
export type ResignUrls = (text: string, accountId: number, origin: string) => string;

export const createResignUrls =
  ({
    addresses,
    addressSeconds: seconds,
  }: {
    readonly addresses: AddressSigner;
    readonly addressSeconds: number;
  }): ResignUrls =>
  (text, accountId, origin) => {
    if (!text.includes(UPLOAD_PATH)) return text;
    const prefix = prefixOf(accountId);
    return text.replace(URL_MEMBERS, (member, name: string, address: string) => {
      const target = addresses.targetOf(address);
      if (!target?.key.startsWith(prefix)) return member;
      return `"${name}":"${addresses.sign({ ...target, seconds }, origin)}"`;
    });
  };
