import { stat } from "node:fs/promises";
import { join } from "node:path";
import { deflateSync } from "fflate";
import { APP_FILE_BYTES, PACKAGE_BYTES } from "../../pack/limits.ts";
import { walk } from "../../pack/walk.ts";
import { readBytes } from "../../files/app-file.ts";
import type { Found } from "../finding.ts";
import { found } from "../rules.ts";

const PARTS = ["app", "server", "config"];

const megabytes = (bytes: number) => `${(bytes / 1024 / 1024).toFixed(1)} MB`;

/** Of the files as a package would hold them; only a large app is compressed to find out. @units bytes */
async function packedSize(folder: string, files: readonly (readonly [string, number])[]): Promise<number> {
  const plain = files.reduce((sum, [, bytes]) => sum + bytes, 0);
  if (plain <= PACKAGE_BYTES) return plain;
  let packed = 0;
  for (const [file] of files) packed += deflateSync((await readBytes(folder, file)) ?? Buffer.alloc(0)).length;
  return packed;
}

/** Limits of what can be packed. */
export async function sizeRules(folder: string): Promise<Found[]> {
  const walked = await Promise.all(PARTS.map((part) => walk(folder, part)));
  const files = await Promise.all(
    walked
      .flatMap((part) => part.files)
      .sort()
      .map(async (file) => [file, (await stat(join(folder, file))).size] as const),
  );
  const size = await packedSize(folder, files);
  return [
    ...files
      .filter(([file, bytes]) => file.startsWith("app/") && bytes > APP_FILE_BYTES)
      .map(([file, bytes]) =>
        found("file-size", file, { name: file, size: megabytes(bytes), most: megabytes(APP_FILE_BYTES) }),
      ),
    ...(size > PACKAGE_BYTES
      ? [found("package-size", "manifest.json", { size: megabytes(size), most: megabytes(PACKAGE_BYTES) })]
      : []),
  ];
}
