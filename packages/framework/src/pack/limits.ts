import type { Finding } from "../project/finding.ts";
import { found } from "../project/rules.ts";
import type { PackedFile } from "./walk.ts";

/** @units bytes */
export const APP_FILE_BYTES = 2 * 1024 * 1024;
/** Of the archive. @units bytes */
export const PACKAGE_BYTES = 5 * 1024 * 1024;

export const megabytes = (bytes: number): string => `${(bytes / 1024 / 1024).toFixed(1)} MB`;

/** A file of app/ may have become larger by packing. */
export const fileLimits = (files: readonly PackedFile[]): Finding[] =>
  files
    .filter(({ path, bytes }) => path.startsWith("app/") && bytes.length > APP_FILE_BYTES)
    .map(({ path, bytes }) =>
      found("file-size", path, { name: path, size: megabytes(bytes.length), most: megabytes(APP_FILE_BYTES) }),
    );

export const packageLimits = (zip: Uint8Array, files: readonly PackedFile[]): Finding[] => {
  if (zip.length <= PACKAGE_BYTES) return [];
  const [largest] = [...files].sort((one, other) => other.bytes.length - one.bytes.length);
  const size = { size: megabytes(zip.length), most: megabytes(PACKAGE_BYTES) };
  const help = largest && `The largest file is ${largest.path}, ${megabytes(largest.bytes.length)}.`;
  return [found("package-size", "manifest.json", size, { ...(help && { help }) })];
};
