import { IMAGE_TOO_LARGE, isRefusal, LIMITS, NOT_AN_IMAGE, refuse } from "@parley/contract";
import type { Metadata, Sharp, SharpOptions } from "sharp";
import { formatOf, type ImageFormat } from "./image-type.ts";

interface Size {
  readonly width: number;
  readonly height: number;
}

/** An image as it is kept: its pixels only, upright. */
export interface Picture extends Size {
  readonly format: ImageFormat;
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

/** @errors NOT_AN_IMAGE, IMAGE_TOO_LARGE */
const checkHead = (head: Metadata, format: ImageFormat) => {
  if (head.format !== format || !(head.width > 0) || !(head.height > 0)) refuse(NOT_AN_IMAGE);
  // Each frame of a moving image is unpacked.
  if (head.width * head.height * (head.pages ?? 1) > LIMITS.image_pixels) refuse(IMAGE_TOO_LARGE);
};

const encoded = (image: Sharp, format: ImageFormat, quality: number): Sharp => {
  image.timeout({ seconds: LONGEST });
  switch (format) {
    case "png":
      return image.png();
    case "jpeg":
      return image.jpeg({ quality });
    case "gif":
      return image.gif();
    case "webp":
      return image.webp({ quality });
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

/**
 * Reads an image by its content and makes it anew: of what stood beside the pixels (places, devices, people, hidden bytes) nothing is
 * left, and the colours are those of sRGB.
 * @errors NOT_AN_IMAGE, IMAGE_TOO_LARGE
 * @assumed The format stays, moving images move on, and the thumbnail shows the first frame.
 */
export const pictureOf = async (content: Buffer): Promise<Picture> => {
  const format = formatOf(content) ?? refuse(NOT_AN_IMAGE);
  const sharp = await library();
  return decoding(async () => {
    const head = await sharp(content, { limitInputPixels: false }).metadata();
    checkHead(head, format);
    const moves = (head.pages ?? 1) > 1;
    const rules: SharpOptions = { limitInputPixels: LIMITS.image_pixels, failOn: "error" };
    const whole = sharp(content, { ...rules, animated: moves, sequentialRead: true });
    const small = sharp(content, rules).autoOrient().resize({
      width: LIMITS.thumbnail_pixels,
      height: LIMITS.thumbnail_pixels,
      fit: "inside",
      withoutEnlargement: true,
    });
    const kept = await encoded(moves ? whole : whole.autoOrient(), format, QUALITY).toBuffer();
    const thumbnail = await encoded(small, format, THUMBNAIL_QUALITY).toBuffer({ resolveWithObject: true });
    const { width, height } = thumbnail.info;
    return { format, ...head.autoOrient, content: kept, thumbnail: { content: thumbnail.data, width, height } };
  });
};
