import { createHash } from "node:crypto";
import { compareWalkOrder, type PackedFile } from "../files/app-file.ts";
import { zipSync, unzipSync } from "fflate";
import { megabytes, maxPackageBytes } from "../validate/size-limits.ts";

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

/** The file is not a package, or the package is unsafe or damaged. The message states what to do. */
export class PackageRefused extends Error {
  override readonly name = "PackageRefused";
}

/** Maximum total size of the unpacked files. @units bytes */
const maxUnpackedBytes = 50 * 1024 * 1024;
const PACKAGE_FILES_MAX = 5_000;
const DIGEST_FILE = "digest.md5";
/** Allowed files whose names begin with a dot. */
const DOT_FILES = [".report.json"];

/** -> a path from the app's folder; undefined for a path that leads out of it or to a hidden file */
const safePath = (name: string): string | undefined => {
  const path = name.replace(/^\.\//, "");
  const isSafe =
    /^[^\0\\:]+$/.test(path) &&
    path.split("/").every((part) => part !== "" && (!part.startsWith(".") || DOT_FILES.includes(path)));
  return isSafe ? path : undefined;
};

const entriesOf = (zip: Uint8Array): Record<string, Uint8Array> => {
  let bytes = 0;
  let count = 0;
  try {
    return unzipSync(zip, {
      // The archive declares the sizes; no more than the declared size is unpacked.
      filter: ({ name, originalSize }) => {
        bytes += originalSize;
        count += 1;
        if (bytes > maxUnpackedBytes || count > PACKAGE_FILES_MAX)
          throw new PackageRefused(`It holds more than ${megabytes(maxUnpackedBytes)} or ${PACKAGE_FILES_MAX} files.`);
        return !name.endsWith("/");
      },
    });
  } catch (error) {
    if (error instanceof PackageRefused) throw error;
    throw new PackageRefused("The file is not a zip file, or is damaged. Create it with 'npx parley pack'.");
  }
};

/**
 * Unpacks a package made by 'parley pack' or by the tool of another app host. The digest reveals damage; it is not a signature.
 * @errors PackageRefused
 */
export const unpackPackage = (zip: Uint8Array): readonly PackedFile[] => {
  if (zip.length > maxPackageBytes)
    throw new PackageRefused(`It has ${megabytes(zip.length)}; a package has at most ${megabytes(maxPackageBytes)}.`);
  const files = Object.entries(entriesOf(zip)).map(([name, bytes]): PackedFile => {
    const path = safePath(name);
    if (path === undefined)
      throw new PackageRefused(
        `Its file ${JSON.stringify(name)} would lie outside the app's folder or be hidden there.`,
      );
    return { path, bytes };
  });
  const digest = files.find(({ path }) => path === DIGEST_FILE);
  if (!digest || !files.some(({ path }) => path === "manifest.json"))
    throw new PackageRefused(
      `It has no manifest.json or no ${DIGEST_FILE}. Create a package of the app with 'npx parley pack'.`,
    );
  if (Buffer.from(digest.bytes).toString("latin1").trim() !== digestOf(files))
    throw new PackageRefused(
      `Its files do not match ${DIGEST_FILE}: the package was changed or damaged. Pack the app again.`,
    );
  return files;
};
