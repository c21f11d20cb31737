import { deflateSync, crc32 } from "node:zlib";
import sharp from "sharp";
import type { ImageFormat } from "../../../src/messaging/uploads/image-processing.ts";

/** A text in every metadata field of a test image. */
export const METADATA_CANARY = "canary-in-the-picture";

const plain = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 3, background: { r: 200, g: 30, b: 30 } } });

export const plainImage = (format: ImageFormat, width = 64, height = 48): Promise<Buffer> =>
  plain(width, height).toFormat(format).toBuffer();

/** An image with its place and author in EXIF, XMP and bytes after its end. */
export const imageWithMetadata = async (format: ImageFormat): Promise<Buffer> => {
  const exif = {
    IFD0: { Artist: METADATA_CANARY, Copyright: METADATA_CANARY, ImageDescription: METADATA_CANARY },
    IFD3: { GPSLatitudeRef: "N", GPSLatitude: "51/1 30/1 0/1", GPSAreaInformation: METADATA_CANARY },
  };
  const xmp = `<?xpacket begin="" id="W5M0MpCehiHzreSzNTczkc9d"?><x:xmpmeta xmlns:x="adobe:ns:meta/">${METADATA_CANARY}</x:xmpmeta>`;
  const image = await plain(64, 48).withExif(exif).withXmp(xmp).toFormat(format).toBuffer();
  const comment = Buffer.from(METADATA_CANARY);
  const behind = Buffer.concat([image, comment]);
  if (format === "jpeg") {
    const segment = Buffer.concat([Buffer.from([0xff, 0xfe, 0, comment.length + 2]), comment]);
    return Buffer.concat([behind.subarray(0, 2), segment, behind.subarray(2)]);
  }
  if (format === "gif") {
    // A comment precedes the first frame: after the header and its colour table.
    const colours = 13 + 3 * 2 ** (((image[10] ?? 0) & 7) + 1);
    const block = Buffer.concat([Buffer.from([0x21, 0xfe, comment.length]), comment, Buffer.from([0])]);
    return Buffer.concat([behind.subarray(0, colours), block, behind.subarray(colours)]);
  }
  return behind;
};

const chunk = (type: string, data: Uint8Array): Buffer => {
  const named = Buffer.concat([Buffer.from(type), data]);
  const frame = Buffer.alloc(8);
  frame.writeUInt32BE(data.length, 0);
  frame.writeUInt32BE(crc32(named), 4);
  return Buffer.concat([frame.subarray(0, 4), named, frame.subarray(4)]);
};

/** A black PNG with one bit per pixel, which is small for any dimensions. `rows`: number of rows that the data contains. */
export const packedPng = (width: number, height: number, rows = height): Buffer => {
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head[8] = 1;
  return Buffer.concat([
    Buffer.from("\x89PNG\r\n\x1a\n", "latin1"),
    chunk("IHDR", head),
    chunk("IDAT", deflateSync(Buffer.alloc(rows * (1 + Math.ceil(width / 8))))),
    chunk("IEND", Buffer.alloc(0)),
  ]);
};

/** A GIF with frames of one pixel on a canvas of any size. */
export const gifWithFrames = (width: number, height: number, frames: number): Buffer => {
  const head = Buffer.alloc(7);
  head.writeUInt16LE(width, 0);
  head.writeUInt16LE(height, 2);
  head[4] = 0x80;
  const frame = Buffer.from([
    ...[0x21, 0xf9, 4, 0, 10, 0, 0, 0],
    ...[0x2c, 0, 0, 0, 0, 1, 0, 1, 0, 0],
    ...[2, 2, 0x44, 1, 0],
  ]);
  return Buffer.concat([
    Buffer.from("GIF89a"),
    head,
    Buffer.from([0, 0, 0, 255, 255, 255]),
    ...Array.from({ length: frames }, () => frame),
    Buffer.from([0x3b]),
  ]);
};
