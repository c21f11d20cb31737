import { createHash } from "node:crypto";
import { memberOf } from "@parley/contract";
import { compareWalkOrder, type PackedFile } from "../files/app-file.ts";
import { zipSync } from "fflate";
import { readArchive } from "../archive/archive-reader.ts";
import { PackageRefused } from "../archive/package-refused.ts";

const MANIFEST = "manifest.json";
const DIGEST_FILE = "digest.md5";
/** The validation report. A package of Parley has there the digest of all its files, under `sha256`. */
export const REPORT_FILE = ".report.json";

/** SHA-256 as hex digits, over the paths and contents of all files but the two that contain digests. */
export const contentDigestOf = (files: readonly PackedFile[]): string => {
  const hash = createHash("sha256");
  const covered = files.filter(({ path }) => path !== DIGEST_FILE && path !== REPORT_FILE);
  for (const { path, bytes } of [...covered].sort((one, other) => (one.path < other.path ? -1 : 1)))
    hash.update(`${path}\0${bytes.length}\0`).update(bytes);
  return hash.digest("hex");
};

/** The digest of all files that a package of Parley contains; undefined in packages of other tools. */
const reportedDigest = (files: readonly PackedFile[]): unknown => {
  const report = files.find(({ path }) => path === REPORT_FILE);
  try {
    return memberOf(JSON.parse(Buffer.from(report?.bytes ?? []).toString()), "sha256");
  } catch {
    return undefined;
  }
};

/** MD5 as 32 hex digits, over the contents of the files of app/ in walk order and then of manifest.json: the field's definition of `digest.md5`. */
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

/**
 * Unpacks a package made by 'parley pack' or by the tool of another app host. Digests reveal damage; they are not signatures.
 * @errors PackageRefused
 */
export const unpackPackage = async (zip: Uint8Array): Promise<readonly PackedFile[]> => {
  const files = await readArchive(zip);
  const digest = files.find(({ path }) => path === DIGEST_FILE);
  if (!digest || !files.some(({ path }) => path === "manifest.json"))
    throw new PackageRefused(
      `It has no manifest.json or no ${DIGEST_FILE}. Create a package of the app with 'npx parley pack'.`,
    );
  if (Buffer.from(digest.bytes).toString("latin1").trim() !== digestOf(files))
    throw new PackageRefused(
      `Its files do not match ${DIGEST_FILE}: the package was changed or damaged. Pack the app again.`,
    );
  const reported = reportedDigest(files);
  if (reported !== undefined && reported !== contentDigestOf(files))
    throw new PackageRefused(
      `Its files do not match ${REPORT_FILE}: the package was changed or damaged. Pack the app again.`,
    );
  return files;
};
