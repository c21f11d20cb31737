import { LIMITS, IMAGE_TOO_LARGE, isRefusal, NOT_AN_IMAGE, refuse, SERVICE_UNAVAILABLE } from "@parley/contract";
import type { SpoolFile } from "../../base/objects/spool.ts";
import type { Metadata, Sharp, SharpOptions } from "sharp";

/**
 * Semaphore whose permits are weighted, with a bounded FIFO queue.
 * @shape weight: the permits that the work takes, at most the capacity
 * @errors SERVICE_UNAVAILABLE when the queue is full
 */
type WeightedSemaphore = <T>(weight: number, work: () => Promise<T>) => Promise<T>;

/** @units seconds */
const RETRY_AFTER_S = 5;

/** @shape capacity: permits in total; maxWaiting: length of the queue */
export const createWeightedSemaphore = ({
  capacity,
  maxWaiting,
}: {
  readonly capacity: number;
  readonly maxWaiting: number;
}): WeightedSemaphore => {
  const queue: { readonly weight: number; readonly start: () => void }[] = [];
  let taken = 0;
  const startNext = () => {
    for (let next = queue[0]; next && taken + next.weight <= capacity; next = queue[0]) {
      queue.shift();
      taken += next.weight;
      next.start();
    }
  };
  return async (weight, work) => {
    if (queue.length >= maxWaiting) refuse(SERVICE_UNAVAILABLE, undefined, RETRY_AFTER_S);
    await new Promise<void>((start) => {
      queue.push({ weight, start });
      startNext();
    });
    try {
      return await work();
    } finally {
      taken -= weight;
      startNext();
    }
  };
};

/** Re-encodes an uploaded image and its thumbnail. @errors NOT_AN_IMAGE, IMAGE_TOO_LARGE, SERVICE_UNAVAILABLE */
type ImageProcessor = (content: AsyncIterable<Uint8Array>) => Promise<ProcessedImage>;

/** Maximum images queued on disk. */
const IMAGE_QUEUE_MAX = 100;
/** Maximum images processed concurrently: sharp shares its threads with file access. */
const CONCURRENT_IMAGES_MAX = 2;

/**
 * Decoded images are large: those processed concurrently have at most as many pixels in total as the largest allowed
 * image. Invalid or oversized images are refused before they are queued for decoding.
 */
export const openImageProcessor = (spool: SpoolFile): ImageProcessor => {
  const metadataReads = createWeightedSemaphore({ capacity: CONCURRENT_IMAGES_MAX, maxWaiting: IMAGE_QUEUE_MAX });
  const decodings = createWeightedSemaphore({ capacity: LIMITS.image_pixels, maxWaiting: IMAGE_QUEUE_MAX });
  return (content) =>
    spool(content, async (read) => {
      const metadata = await metadataReads(1, async () => readMetadata(await read()));
      return decodings(Math.max(metadata.pixels, LIMITS.image_pixels / CONCURRENT_IMAGES_MAX), async () =>
        reencode(await read(), metadata),
      );
    });
};

/** Accepted formats. Decoders of others, such as SVG, are never invoked. */
export type ImageFormat = "png" | "jpeg" | "gif" | "webp";

const startsWith = (content: Uint8Array, text: string, at = 0): boolean =>
  Buffer.from(content.buffer, content.byteOffset, content.byteLength).toString("latin1", at, at + text.length) === text;

/** -> the format indicated by the first bytes; undefined for others */
export const formatOf = (content: Uint8Array): ImageFormat | undefined => {
  if (startsWith(content, "\x89PNG\r\n\x1a\n")) return "png";
  if (startsWith(content, "\xff\xd8\xff")) return "jpeg";
  if (startsWith(content, "GIF87a") || startsWith(content, "GIF89a")) return "gif";
  if (startsWith(content, "RIFF") && startsWith(content, "WEBP", 8)) return "webp";
  return undefined;
};

export const contentTypeOf = (format: ImageFormat): string => `image/${format}`;

/**
 * Whether the declared media type of a part is acceptable for an image.
 * @assumed The content decides what an image is, but a part declared as another kind is refused.
 * application/octet-stream declares no kind.
 */
export const isImageType = (type: string): boolean => /^(?:image\/|application\/octet-stream(?:;|$))/i.test(type);

interface Size {
  readonly width: number;
  readonly height: number;
}

/** Validated metadata of an image. */
interface ImageMetadata extends Size {
  readonly format: ImageFormat;
  readonly frames: number;
  /** Of all frames. */
  readonly pixels: number;
}

/** A stored image: its pixels only, upright. */
interface ProcessedImage extends ImageMetadata {
  readonly content: Buffer;
  readonly thumbnail: Size & { readonly content: Buffer };
}

/** Encoder quality. @assumed */
const QUALITY = 90;
const THUMBNAIL_QUALITY = 80;
/** Maximum time of one encoding. @units seconds */
const ENCODE_TIMEOUT_SECONDS = 20;

/** Loads sharp with the first image, to keep the start of the service fast. */
const loadSharp = async () => {
  const { default: sharp } = await import("sharp");
  sharp.concurrency(1);
  sharp.cache(false);
  return sharp;
};

const encoded = (image: Sharp, format: ImageFormat, quality: number): Sharp => {
  image.timeout({ seconds: ENCODE_TIMEOUT_SECONDS });
  switch (format) {
    case "png":
      return image.png();
    case "jpeg":
      // Optimised coding saves a few percent of size at three times the memory.
      return image.jpeg({ quality, optimiseCoding: false });
    case "gif":
      return image.gif();
    case "webp":
      return image.webp({ quality, effort: 2 });
  }
};

/** @errors NOT_AN_IMAGE, IMAGE_TOO_LARGE */
const withDecodeErrors = async <T>(work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    if (isRefusal(error)) throw error;
    const isSlow = error instanceof Error && error.message.includes("timeout");
    return isSlow
      ? refuse(IMAGE_TOO_LARGE, "The image takes too long to be read: send a smaller image.")
      : refuse(NOT_AN_IMAGE);
  }
};

/** @errors NOT_AN_IMAGE, IMAGE_TOO_LARGE */
const checked = (
  { format: found, width, height, pages: frames = 1, autoOrient }: Metadata,
  format: ImageFormat,
): ImageMetadata => {
  if (found !== format || !(width > 0) || !(height > 0)) refuse(NOT_AN_IMAGE);
  const pixels = width * height * frames;
  if (pixels > LIMITS.image_pixels) refuse(IMAGE_TOO_LARGE);
  return { format, frames, pixels, ...autoOrient };
};

/** Reads the metadata without decoding pixels. @errors NOT_AN_IMAGE, IMAGE_TOO_LARGE */
const readMetadata = async (content: Buffer): Promise<ImageMetadata> => {
  const format = formatOf(content) ?? refuse(NOT_AN_IMAGE);
  const sharp = await loadSharp();
  return withDecodeErrors(async () => checked(await sharp(content, { limitInputPixels: false }).metadata(), format));
};

/**
 * Re-encodes an image from its pixels. Metadata (places, devices, people, hidden bytes) is dropped and colors are
 * converted to sRGB.
 * @errors NOT_AN_IMAGE, IMAGE_TOO_LARGE
 * @assumed The format is kept, animations stay animated, and the thumbnail shows the first frame.
 */
const reencode = async (content: Buffer, metadata: ImageMetadata): Promise<ProcessedImage> => {
  const sharp = await loadSharp();
  const { format, frames } = metadata;
  const rules: SharpOptions = { limitInputPixels: LIMITS.image_pixels, failOn: "error" };
  return withDecodeErrors(async () => {
    const image = sharp(content, { ...rules, animated: frames > 1 });
    const encodedImage = await encoded(frames > 1 ? image : image.autoOrient(), format, QUALITY).toBuffer();
    const small = sharp(content, rules).autoOrient().resize({
      width: LIMITS.thumbnail_pixels,
      height: LIMITS.thumbnail_pixels,
      fit: "inside",
      withoutEnlargement: true,
    });
    const thumbnail = await encoded(small, format, THUMBNAIL_QUALITY).toBuffer({ resolveWithObject: true });
    const { width, height } = thumbnail.info;
    return { ...metadata, content: encodedImage, thumbnail: { content: thumbnail.data, width, height } };
  });
};
