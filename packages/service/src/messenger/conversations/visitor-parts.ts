import { INVALID_MESSAGE_PARTS, refuse, type MessagePart } from "@parley/contract";
import type { AddressSigner } from "../../base/objects/signed-addresses.ts";
import { uploadIdOf } from "../../messaging/uploads/resign-urls.ts";

type Addresses = Pick<AddressSigner, "targetOf">;

const refusePart = (index: number, reason: string): never =>
  refuse(INVALID_MESSAGE_PARTS, `message_parts[${index}]${reason}`);

/** An upload of the account that a signed address names. */
interface AddressedUpload {
  readonly id: string;
  /** Whether a browser displays it: uploads of files are downloaded. */
  readonly isImage: boolean;
}

const uploadOf = (addresses: Addresses, accountId: number, url: string): AddressedUpload | undefined => {
  const target = addresses.targetOf(url);
  const id = target && uploadIdOf(accountId, target.key);
  if (id === undefined) return undefined;
  return { id, isImage: target?.fileName === undefined && target?.contentType.startsWith("image/") === true };
};

/**
 * The parts of a visitor's message as they are stored: texts, and pictures and files that were uploaded to the account. A picture or a file of another
 * host would show the agents' addresses to it, and could be changed after it was sent. A file is named by its hash, so that its name, type and size are
 * those of the upload.
 * @errors INVALID_MESSAGE_PARTS
 */
export const visitorParts = (addresses: Addresses, accountId: number, parts: readonly MessagePart[]): MessagePart[] =>
  parts.map((part, index) => {
    if (part.text) return { text: part.text };
    if (part.image) {
      if (!uploadOf(addresses, accountId, part.image.url)?.isImage)
        refusePart(index, ".image.url must be the address of a picture that was uploaded to this account.");
      return { image: part.image };
    }
    if (part.file) {
      const { url, file_hash: hash } = part.file;
      if ((url === undefined) === (hash === undefined))
        refusePart(index, ".file must have exactly one of url and file_hash.");
      const file_hash = hash ?? uploadOf(addresses, accountId, url ?? "")?.id;
      return file_hash === undefined
        ? refusePart(index, ".file.url must be the address of a file that was uploaded to this account.")
        : { file: { file_hash } };
    }
    return refusePart(index, " may not be of this kind: it may be text, image, file.");
  });
