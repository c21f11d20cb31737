import { createHash } from "node:crypto";
import { compareWalkOrder, type PackedFile } from "../files/walk.ts";
import { zipSync } from "fflate";

const MANIFEST = "manifest.json";

/** MD5 as 32 hex digits, over the contents of the files of app/ in walk order and then of manifest.json. */
export const digestOf = (files: readonly PackedFile[]): string => {
  const pageFiles = files.filter(({ path }) => path.startsWith("app/")).sort(compareWalkOrder);
  const hash = createHash("md5");
  for (const { bytes } of [...pageFiles, ...files.filter(({ path }) => path === MANIFEST)]) hash.update(bytes);
  return hash.digest("hex");
};

/** Fixed time of all entries: noon of the first day of the zip format, which has no time zones. */
const ENTRY_TIME = new Date(1980, 0, 1, 12);
/** Regular file, readable by all and writable by its owner. */
const ENTRY_MODE = 0o100644;
const UNIX_OS = 3;

/** Creates a zip file whose bytes depend only on names, contents and order. */
export const createArchive = (files: readonly PackedFile[]): Uint8Array =>
  zipSync(Object.fromEntries(files.map(({ path, bytes }) => [`./${path}`, bytes])), {
    level: 9,
    mtime: ENTRY_TIME,
    os: UNIX_OS,
    attrs: ENTRY_MODE << 16,
  });
