import { zipSync } from "fflate";
import type { PackedFile } from "./walk.ts";

/** In the archive's own terms, which know no time zone: the first noon that it can tell. */
const WHEN = new Date(1980, 0, 1, 12);
/** A plain file that everyone may read and its owner may write. */
const MODE = 0o100644;
const UNIX = 3;

/** A zip file whose bytes depend on nothing but names, contents and order. */
export const archive = (files: readonly PackedFile[]): Uint8Array =>
  zipSync(Object.fromEntries(files.map(({ path, bytes }) => [`./${path}`, bytes])), {
    level: 9,
    mtime: WHEN,
    os: UNIX,
    attrs: MODE << 16,
  });
