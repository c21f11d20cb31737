import { PACKAGE_BYTES_MAX, UNPACKED_BYTES_MAX } from "@parley/contract";
import { crc32, inflateRaw } from "node:zlib";
import type { PackedFile } from "../files/app-file.ts";
import { checkDistinctPaths, entryPath } from "./entry-path.ts";
import { megabytes, sizeAndLimit } from "../../model/size-text.ts";
import { PackageRefused, refuseDamaged, refuseEntry } from "./package-refused.ts";
import { zipEntries, type ZipEntry } from "./zip-structure.ts";

/** Result of zlib with the option `info`: its types lack it. */
interface InflateResult {
  readonly buffer: Buffer;
  /** @shape bytesWritten: number of compressed bytes that were read */
  readonly engine: { readonly bytesWritten: number };
}

interface InflateOutcome {
  readonly error: NodeJS.ErrnoException | null;
  readonly result: InflateResult;
}

/** Inflates an entry, never beyond its declared size. @errors PackageRefused */
const inflate = async ({ data, size, label }: ZipEntry): Promise<Buffer> => {
  const { error, result } = await new Promise<InflateOutcome>((resolve) => {
    inflateRaw(data, { maxOutputLength: Math.max(1, size), info: true }, (failure, inflated) =>
      resolve({ error: failure, result: inflated as unknown as InflateResult }),
    );
  });
  if (error?.code === "ERR_BUFFER_TOO_LARGE") refuseEntry(label, "is larger than the archive's list says");
  if (error) return refuseDamaged();
  if (result.engine.bytesWritten !== data.length) refuseEntry(label, "is followed by bytes that belong to no file");
  return result.buffer;
};

const contentsOf = async (entry: ZipEntry): Promise<Buffer> => {
  const contents = entry.isDeflated ? await inflate(entry) : Buffer.from(entry.data);
  if (contents.length !== entry.size) refuseEntry(entry.label, "differs from the archive's list of files");
  if (crc32(contents) !== entry.crc) refuseEntry(entry.label, "is damaged: its checksum is wrong. Pack the app again");
  if (entry.isFolder && contents.length > 0) refuseEntry(entry.label, "is a folder with contents");
  return contents;
};

/**
 * Reads the files of a package's archive, which may be hostile. Nothing is unpacked unless the whole structure of the archive is valid and
 * its declared sizes are within the limits, and no entry is inflated beyond its declared size.
 * @errors PackageRefused
 */
export const readArchive = async (zip: Uint8Array): Promise<readonly PackedFile[]> => {
  if (zip.length > PACKAGE_BYTES_MAX) {
    const { size, most } = sizeAndLimit(zip.length, PACKAGE_BYTES_MAX);
    throw new PackageRefused(`It has ${size}; a package has at most ${most}.`, { isTooLarge: true });
  }
  const entries = zipEntries(zip).map((entry) => ({ entry, path: entryPath(entry), isFolder: entry.isFolder }));
  checkDistinctPaths(entries);
  if (entries.reduce((sum, { entry }) => sum + entry.size, 0) > UNPACKED_BYTES_MAX)
    throw new PackageRefused(`Its files have more than ${megabytes(UNPACKED_BYTES_MAX)} together.`, {
      isTooLarge: true,
    });
  const files: PackedFile[] = [];
  for (const { entry, path } of entries) {
    const bytes = await contentsOf(entry);
    if (!entry.isFolder) files.push({ path, bytes });
  }
  return files;
};
