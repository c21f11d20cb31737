/** Keys of uploads, and only they, begin so. */
export const UPLOADS_PREFIX = "uploads/";

/** Objects of an account lie together: a key says whose it is. */
export const prefixOf = (accountId: number): string => `${UPLOADS_PREFIX}${accountId}/`;

export const keyOf = (accountId: number, uploadId: string): string => prefixOf(accountId) + uploadId;

const THUMBNAIL = "-thumbnail";
export const thumbnailKeyOf = (accountId: number, uploadId: string): string => keyOf(accountId, uploadId) + THUMBNAIL;

/** -> the id of the upload that a key belongs to; undefined for a key that is none of this account's uploads */
export const uploadIdOf = (accountId: number, key: string): string | undefined =>
  key.startsWith(prefixOf(accountId)) ? key.slice(prefixOf(accountId).length).replace(THUMBNAIL, "") : undefined;
