import { stat } from "node:fs/promises";
import { join } from "node:path";
import { deflateSync } from "fflate";
import { walkFolder, type PackedFile, readAppFileBytes } from "../files/app-file.ts";
import type { FindingWithPath, Finding } from "../model/finding.ts";
import { createFinding } from "../model/rules.ts";

/** @units bytes */
const maxAppFileBytes = 2 * 1024 * 1024;
/** Maximum size of the archive. @units bytes */
export const maxPackageBytes = 5 * 1024 * 1024;

export const megabytes = (bytes: number): string => `${(bytes / 1024 / 1024).toFixed(1)} MB`;

/** Packing may enlarge a file of app/. */
export const fileSizeFindings = (files: readonly PackedFile[]): Finding[] =>
  files
    .filter(({ path, bytes }) => path.startsWith("app/") && bytes.length > maxAppFileBytes)
    .map(({ path, bytes }) =>
      createFinding("file-size", path, { name: path, size: megabytes(bytes.length), most: megabytes(maxAppFileBytes) }),
    );

export const packageSizeFindings = (zip: Uint8Array, files: readonly PackedFile[]): Finding[] => {
  if (zip.length <= maxPackageBytes) return [];
  const [largest] = [...files].sort((one, other) => other.bytes.length - one.bytes.length);
  const size = { size: megabytes(zip.length), most: megabytes(maxPackageBytes) };
  const help = largest && `The largest file is ${largest.path}, ${megabytes(largest.bytes.length)}.`;
  return [createFinding("package-size", "manifest.json", size, { ...(help && { help }) })];
};

const PACKED_FOLDERS = ["app", "server", "config"];

/** Estimated size of the package. Files are compressed only if the app is larger than the limit. @units bytes */
async function packedSize(folder: string, files: readonly (readonly [string, number])[]): Promise<number> {
  const plain = files.reduce((sum, [, bytes]) => sum + bytes, 0);
  if (plain <= maxPackageBytes) return plain;
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
      .filter(([file, bytes]) => file.startsWith("app/") && bytes > maxAppFileBytes)
      .map(([file, bytes]) =>
        createFinding("file-size", file, { name: file, size: megabytes(bytes), most: megabytes(maxAppFileBytes) }),
      ),
    ...(size > maxPackageBytes
      ? [createFinding("package-size", "manifest.json", { size: megabytes(size), most: megabytes(maxPackageBytes) })]
      : []),
  ];
}
