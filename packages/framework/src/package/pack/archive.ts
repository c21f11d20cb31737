import { createHash } from "node:crypto";
import { inWalkOrder, type PackedFile } from "../files/walk.ts";
import { zipSync } from "fflate";

const MANIFEST = "manifest.json";

/** 32 hex digits over the bytes of the files of app/ in the order of a walk, then those of manifest.json. */
export const digestOf = (files: readonly PackedFile[]): string => {
  const shown = files.filter(({ path }) => path.startsWith("app/")).sort(inWalkOrder);
  const hash = createHash("md5");
  for (const { bytes } of [...shown, ...files.filter(({ path }) => path === MANIFEST)]) hash.update(bytes);
  return hash.digest("hex");
};

/** In the archive's own terms, which know no time zone: the first noon that it can tell. */
const WHEN = new Date(1980, 0, 1, 12);
/** A plain file that everyone may read and its owner may write. */
const MODE = 0o100644;
const UNIX = 3;

/** A zip file whose bytes depend on nothing but names, contents and order. */
export const createArchive = (files: readonly PackedFile[]): Uint8Array =>
  zipSync(Object.fromEntries(files.map(({ path, bytes }) => [`./${path}`, bytes])), {
    level: 9,
    mtime: WHEN,
    os: UNIX,
    attrs: MODE << 16,
  });
