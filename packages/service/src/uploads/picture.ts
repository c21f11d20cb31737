import { IMAGE_TOO_LARGE, isRefusal, LIMITS, NOT_AN_IMAGE, refuse } from "@parley/contract";
import type { Metadata, Sharp, SharpOptions } from "sharp";
import { formatOf, type ImageFormat } from "./image-type.ts";

interface Size {
  readonly width: number;
  readonly height: number;
}

/** What an image says of itself, found fit to be unpacked. */
export interface Head extends Size {
  readonly format: ImageFormat;
  readonly frames: number;
  /** Of all frames. */
  readonly pixels: number;
}

/** An image as it is kept: its pixels only, upright. */
export interface Picture extends Head {
  readonly content: Buffer;
  readonly thumbnail: Size & { readonly content: Buffer };
}

/** Of an image that is encoded anew. @assumed */
const QUALITY = 90;
const THUMBNAIL_QUALITY = 80;
/** An image that takes longer would keep others waiting. @units seconds */
const LONGEST = 20;

/** Loaded with the first image: the service starts without it. */
const library = async () => {
  const { default: sharp } = await import("sharp");
  sharp.concurrency(1);
  sharp.cache(false);
  return sharp;
};

const encoded = (image: Sharp, format: ImageFormat, quality: number): Sharp => {
  image.timeout({ seconds: LONGEST });
  switch (format) {
    case "png":
      return image.png();
    case "jpeg":
      // Smaller files by a few hundredths would cost three times the memory.
      return image.jpeg({ quality, optimiseCoding: false });
    case "gif":
      return image.gif();
    case "webp":
      return image.webp({ quality, effort: 2 });
  }
};

/** @errors NOT_AN_IMAGE, IMAGE_TOO_LARGE */
const decoding = async <T>(work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    if (isRefusal(error)) throw error;
    const isSlow = error instanceof Error && error.message.includes("timeout");
    return isSlow
      ? refuse(IMAGE_TOO_LARGE, "The image takes too long to be read: send a smaller one.")
      : refuse(NOT_AN_IMAGE);
  }
};

/** @errors NOT_AN_IMAGE, IMAGE_TOO_LARGE */
const checked = (
  { format: found, width, height, pages: frames = 1, autoOrient }: Metadata,
  format: ImageFormat,
): Head => {
  if (found !== format || !(width > 0) || !(height > 0)) refuse(NOT_AN_IMAGE);
  const pixels = width * height * frames;
  if (pixels > LIMITS.image_pixels) refuse(IMAGE_TOO_LARGE);
  return { format, frames, pixels, ...autoOrient };
};

/** Reads what an image says of itself, and nothing of its pixels. @errors NOT_AN_IMAGE, IMAGE_TOO_LARGE */
export const headOf = async (content: Buffer): Promise<Head> => {
  const format = formatOf(content) ?? refuse(NOT_AN_IMAGE);
  const sharp = await library();
  return decoding(async () => checked(await sharp(content, { limitInputPixels: false }).metadata(), format));
};

/**
 * Makes an image anew out of its pixels: of what stood beside them (places, devices, people, hidden bytes) nothing is left, and the
 * colours are those of sRGB.
 * @errors NOT_AN_IMAGE, IMAGE_TOO_LARGE
 * @assumed The format stays, moving images move on, and the thumbnail shows the first frame.
 */
export const pictureOf = async (content: Buffer, head: Head): Promise<Picture> => {
  const sharp = await library();
  const { format, frames } = head;
  const rules: SharpOptions = { limitInputPixels: LIMITS.image_pixels, failOn: "error" };
  return decoding(async () => {
    const whole = sharp(content, { ...rules, animated: frames > 1 });
    const kept = await encoded(frames > 1 ? whole : whole.autoOrient(), format, QUALITY).toBuffer();
    const small = sharp(content, rules).autoOrient().resize({
      width: LIMITS.thumbnail_pixels,
      height: LIMITS.thumbnail_pixels,
      fit: "inside",
      withoutEnlargement: true,
    });
    const thumbnail = await encoded(small, format, THUMBNAIL_QUALITY).toBuffer({ resolveWithObject: true });
    const { width, height } = thumbnail.info;
    return { ...head, content: kept, thumbnail: { content: thumbnail.data, width, height } };
  });
};
