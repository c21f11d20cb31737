import { stat } from "node:fs/promises";
import { join } from "node:path";
import { APP_LIMITS } from "@parley/contract";
import { deflateSync } from "fflate";
import { walkFolder, type PackedFile, readAppFileBytes } from "../files/app-file.ts";
import type { FindingWithPath, Finding } from "../../model/finding.ts";
import { createFinding } from "../../model/rules.ts";
import { megabytes, sizeAndLimit } from "../../model/size-text.ts";

/** Limit of other app hosts. @units bytes */
const FIELD_FILE_BYTES_MAX = 2 * 1024 * 1024;

const fileSizeFinding = (path: string, bytes: number): FindingWithPath =>
  createFinding("file-size", path, { name: path, ...sizeAndLimit(bytes, APP_LIMITS.appFileBytes) });

const largeFiles = (files: readonly PackedFile[], most: number): readonly PackedFile[] =>
  files.filter(({ path, bytes }) => path.startsWith("app/") && bytes.length > most);

/** Packing may enlarge a file of app/. */
export const fileSizeFindings = (files: readonly PackedFile[]): Finding[] =>
  largeFiles(files, APP_LIMITS.appFileBytes).map(({ path, bytes }) => fileSizeFinding(path, bytes.length));

/** Findings for files of app/ that other app hosts refuse. */
export const fieldSizeFindings = (files: readonly PackedFile[]): Finding[] =>
  largeFiles(files, FIELD_FILE_BYTES_MAX).map(({ path, bytes }) =>
    createFinding("pack-field-size", path, { name: path, ...sizeAndLimit(bytes.length, FIELD_FILE_BYTES_MAX) }),
  );

export const packageSizeFindings = (zip: Uint8Array, files: readonly PackedFile[]): Finding[] => {
  if (zip.length <= APP_LIMITS.packageBytes) return [];
  const [largest] = [...files].sort((one, other) => other.bytes.length - one.bytes.length);
  const size = sizeAndLimit(zip.length, APP_LIMITS.packageBytes);
  const help = largest && `The largest file is ${largest.path}, ${megabytes(largest.bytes.length)}.`;
  return [createFinding("package-size", "manifest.json", size, { ...(help && { help }) })];
};

const PACKED_FOLDERS = ["app", "server", "config"];

/** Estimated size of the package. Files are compressed only if the app is larger than the limit. @units bytes */
async function packedSize(folder: string, files: readonly (readonly [string, number])[]): Promise<number> {
  const plain = files.reduce((sum, [, bytes]) => sum + bytes, 0);
  if (plain <= APP_LIMITS.packageBytes) return plain;
  let compressed = 0;
  for (const [file] of files)
    compressed += deflateSync((await readAppFileBytes(folder, file)) ?? Buffer.alloc(0)).length;
  return compressed;
}

/** Findings for files and apps above the size limits. */
export async function sizeRules(folder: string): Promise<FindingWithPath[]> {
  const walked = await Promise.all(PACKED_FOLDERS.map((part) => walkFolder(folder, part)));
  const files = await Promise.all(
    walked
      .flatMap((part) => part.files)
      .sort()
      .map(async (file) => [file, (await stat(join(folder, file))).size] as const),
  );
  const size = await packedSize(folder, files);
  return [
    ...files
      .filter(([file, bytes]) => file.startsWith("app/") && bytes > APP_LIMITS.appFileBytes)
      .map(([file, bytes]) => fileSizeFinding(file, bytes)),
    ...(size > APP_LIMITS.packageBytes
      ? [createFinding("package-size", "manifest.json", sizeAndLimit(size, APP_LIMITS.packageBytes))]
      : []),
  ];
}
