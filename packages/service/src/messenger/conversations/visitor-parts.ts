import { INVALID_MESSAGE_PARTS, refuse, VIDEO_TYPES, type MessagePart } from "@parley/contract";
import type { AddressSigner } from "../../base/objects/signed-addresses.ts";
import { uploadIdOf } from "../../messaging/uploads/resign-urls.ts";

type Addresses = Pick<AddressSigner, "targetOf">;

const refusePart = (index: number, reason: string): never =>
  refuse(INVALID_MESSAGE_PARTS, `message_parts[${index}]${reason}`);

/** An upload of the account that a signed address names. */
interface AddressedUpload {
  readonly id: string;
  readonly contentType: string;
  /** Whether it was uploaded as a picture, which was decoded and written anew. Other uploads are what the visitor says they are. */
  readonly isImage: boolean;
}

const uploadOf = (addresses: Addresses, accountId: number, url: string): AddressedUpload | undefined => {
  const target = addresses.targetOf(url);
  const id = target && uploadIdOf(accountId, target.key);
  if (!target || id === undefined) return undefined;
  const { contentType, fileName } = target;
  return { id, contentType, isImage: fileName === undefined && contentType.startsWith("image/") };
};

/**
 * The parts of a visitor's message as they are stored: texts, and pictures, videos and files that were uploaded to the account. An upload of another host
 * would show the agents' addresses to it, and could be changed after it was sent. A file is named by its hash, so that its name, type and size are
 * those of the upload. The type of a video is that of the upload, too.
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
    if (part.video) {
      const { contentType = "" } = uploadOf(addresses, accountId, part.video.url) ?? {};
      if (!VIDEO_TYPES.includes(contentType))
        refusePart(
          index,
          `.video.url must be the address of a file that was uploaded to this account with one of the types ${VIDEO_TYPES.join(", ")}.`,
        );
      return { video: { url: part.video.url, content_type: contentType } };
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
    return refusePart(index, " may not be of this kind: it may be text, image, video, file.");
  });

/** -> the payloads of all buttons among the parts */
export const payloadsOf = (parts: readonly MessagePart[]): string[] =>
  parts.flatMap(({ quick_reply_button, callback, collection, template_content }) => [
    ...[quick_reply_button?.payload, callback?.payload].filter((payload) => payload !== undefined),
    ...payloadsOf(collection?.sub_parts ?? []),
    ...payloadsOf(template_content?.sections.flatMap(({ parts: inner }) => inner) ?? []),
  ]);
