import { errorIn, type Finding } from "../project/finding.ts";
import type { PackedFile } from "./walk.ts";

/** @units bytes */
export const APP_FILE_BYTES = 2 * 1024 * 1024;
/** Of the archive. @units bytes */
export const PACKAGE_BYTES = 5 * 1024 * 1024;

const megabytes = (bytes: number): string => `${(bytes / 1024 / 1024).toFixed(1)} MB`;

export const fileLimits = (files: readonly PackedFile[]): Finding[] =>
  files
    .filter(({ path, bytes }) => path.startsWith("app/") && bytes.length > APP_FILE_BYTES)
    .map(({ path, bytes }) =>
      errorIn(path, "pack-file-size", `The file has ${megabytes(bytes.length)}; a file of app/ may have 2 MB`),
    );

export const packageLimits = (zip: Uint8Array, files: readonly PackedFile[]): Finding[] => {
  if (zip.length <= PACKAGE_BYTES) return [];
  const [largest] = [...files].sort((one, other) => other.bytes.length - one.bytes.length);
  return [
    errorIn("manifest.json", "pack-size", `The package has ${megabytes(zip.length)}; it may have 5 MB`, {
      help: largest ? `the largest file is ${largest.path}, ${megabytes(largest.bytes.length)}` : "",
    }),
  ];
};
