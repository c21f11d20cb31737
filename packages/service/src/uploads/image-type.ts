/** The formats that are taken. Decoders of others, such as SVG, are never asked. */
export type ImageFormat = "png" | "jpeg" | "gif" | "webp";

const startsWith = (content: Uint8Array, text: string, at = 0): boolean =>
  Buffer.from(content.buffer, content.byteOffset, content.byteLength).toString("latin1", at, at + text.length) === text;

/** -> what the first bytes of a content say that it is; undefined for anything but those formats */
export const formatOf = (content: Uint8Array): ImageFormat | undefined => {
  if (startsWith(content, "\x89PNG\r\n\x1a\n")) return "png";
  if (startsWith(content, "\xff\xd8\xff")) return "jpeg";
  if (startsWith(content, "GIF87a") || startsWith(content, "GIF89a")) return "gif";
  if (startsWith(content, "RIFF") && startsWith(content, "WEBP", 8)) return "webp";
  return undefined;
};

export const contentTypeOf = (format: ImageFormat): string => `image/${format}`;

/**
 * Whether the sender says of a part that it is an image.
 * @assumed Content decides what an image is; a part that is declared to be of another kind is refused all the same, and one that is
 * declared application/octet-stream is of no said kind.
 */
export const isImageType = (type: string): boolean => /^(?:image\/|application\/octet-stream(?:;|$))/i.test(type);
