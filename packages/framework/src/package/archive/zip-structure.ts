import { PACKAGE_ENTRIES_MAX } from "@parley/contract";
import { PackageRefused, refuseDamaged, refuseEntry } from "./package-refused.ts";

/** An entry of an archive whose local header agrees with the central directory. */
export interface ZipEntry {
  /** Bytes of the name, as in the archive. */
  readonly nameBytes: Buffer;
  /** The name for messages. It may be malformed. */
  readonly label: string;
  readonly isFolder: boolean;
  readonly isDeflated: boolean;
  readonly crc: number;
  /** Declared size of the contents. @units bytes */
  readonly size: number;
  /** Compressed contents. */
  readonly data: Buffer;
}

const END_SIGNATURE = 0x06054b50;
const END_BYTES = 22;
const COMMENT_BYTES_MAX = 0xffff;
const ZIP64_LOCATOR_SIGNATURE = 0x07064b50;
const ZIP64_LOCATOR_BYTES = 20;
const DIRECTORY_SIGNATURE = 0x02014b50;
const DIRECTORY_HEADER_BYTES = 46;
const LOCAL_SIGNATURE = 0x04034b50;
const LOCAL_HEADER_BYTES = 30;
const DESCRIPTOR_SIGNATURE = 0x08074b50;
const DESCRIPTOR_BYTES = 12;

/** Flags of an entry. */
const ENCRYPTED = 0x0001 | 0x0040 | 0x2000;
const HAS_DESCRIPTOR = 0x0008;
const UTF8_NAME = 0x0800;
const COMPARED_FLAGS = ENCRYPTED | HAS_DESCRIPTOR | UTF8_NAME;

const STORED = 0;
const DEFLATED = 8;

/** Extra fields. */
const ZIP64_FIELD = 0x0001;
const UNICODE_PATH_FIELD = 0x7075;
const AES_FIELD = 0x9901;
/** Version and checksum before the name. */
const UNICODE_PATH_HEADER_BYTES = 5;

/** External attributes: type bits of a Unix mode, and attributes of DOS and Windows. */
const TYPE_MASK = 0o170000;
const REGULAR_FILE = 0o100000;
const FOLDER = 0o040000;
const VOLUME_LABEL = 0x08;
const DOS_FOLDER = 0x10;
const REPARSE_POINT = 0x400;

const refuseZip64 = (): never => {
  throw new PackageRefused(
    "It uses the zip64 format, which a package does not need. Create it with 'npx parley pack'.",
  );
};

/** Position of the end record. Only a comment may follow it. */
const endRecordAt = (zip: Buffer): number => {
  const first = Math.max(0, zip.length - END_BYTES - COMMENT_BYTES_MAX);
  for (let at = zip.length - END_BYTES; at >= first; at -= 1)
    if (zip.readUInt32LE(at) === END_SIGNATURE && at + END_BYTES + zip.readUInt16LE(at + 20) === zip.length) return at;
  return refuseDamaged();
};

/** Refuses fields that change the meaning of an entry. */
const checkExtraFields = (extra: Buffer, nameBytes: Buffer, label: string): void => {
  let at = 0;
  while (at < extra.length) {
    if (at + 4 > extra.length) return refuseDamaged();
    const [field, size] = [extra.readUInt16LE(at), extra.readUInt16LE(at + 2)];
    const content = extra.subarray(at + 4, at + 4 + size);
    if (content.length < size) return refuseDamaged();
    if (field === ZIP64_FIELD) refuseZip64();
    if (field === AES_FIELD) refuseEntry(label, "is encrypted");
    if (field === UNICODE_PATH_FIELD && !content.subarray(UNICODE_PATH_HEADER_BYTES).equals(nameBytes))
      refuseEntry(label, "has two different names");
    at += 4 + size;
  }
};

/** Refuses links and other special files, whichever system the entry names as its origin. */
const checkKind = (attributes: number, isFolder: boolean, label: string): void => {
  const type = (attributes >>> 16) & TYPE_MASK;
  const isKnownType = type === 0 || type === (isFolder ? FOLDER : REGULAR_FILE);
  const isDosFolder = (attributes & DOS_FOLDER) !== 0;
  if (!isKnownType || (attributes & (VOLUME_LABEL | REPARSE_POINT)) !== 0 || (isDosFolder && !isFolder))
    refuseEntry(label, "is a link or another special file, which a package must not contain");
};

/** Fields that the local header repeats, and the position of the local header. */
interface DirectoryEntry extends Omit<ZipEntry, "data"> {
  readonly flags: number;
  readonly compressedSize: number;
  readonly offset: number;
}

const readDirectoryEntry = (zip: Buffer, at: number, end: number): { entry: DirectoryEntry; next: number } => {
  if (at + DIRECTORY_HEADER_BYTES > end || zip.readUInt32LE(at) !== DIRECTORY_SIGNATURE) return refuseDamaged();
  const word = (offset: number) => zip.readUInt16LE(at + offset);
  const long = (offset: number) => zip.readUInt32LE(at + offset);
  const nameEnd = at + DIRECTORY_HEADER_BYTES + word(28);
  const extraEnd = nameEnd + word(30);
  const next = extraEnd + word(32);
  if (next > end) return refuseDamaged();
  const nameBytes = zip.subarray(at + DIRECTORY_HEADER_BYTES, nameEnd);
  const label = nameBytes.toString("utf8");
  const isFolder = label.endsWith("/");
  const [flags, method, compressedSize, size, offset] = [word(8), word(10), long(20), long(24), long(42)];
  checkExtraFields(zip.subarray(nameEnd, extraEnd), nameBytes, label);
  if ([compressedSize, size, offset].includes(0xffff_ffff)) refuseZip64();
  if ((flags & ENCRYPTED) !== 0) refuseEntry(label, "is encrypted");
  if (method !== STORED && method !== DEFLATED)
    refuseEntry(label, `has the compression method ${method}; a package is compressed by 'deflate' only`);
  checkKind(long(38), isFolder, label);
  if (word(34) !== 0 || (method === STORED && compressedSize !== size)) return refuseDamaged();
  return {
    next,
    entry: {
      nameBytes,
      label,
      isFolder,
      isDeflated: method === DEFLATED,
      crc: long(16),
      size,
      flags,
      compressedSize,
      offset,
    },
  };
};

/** Whether the bytes after an entry are its data descriptor. */
const isDescriptorOf = (gap: Buffer, { crc, compressedSize, size }: DirectoryEntry): boolean => {
  const hasSignature = gap.length === DESCRIPTOR_BYTES + 4 && gap.readUInt32LE(0) === DESCRIPTOR_SIGNATURE;
  const values = hasSignature ? gap.subarray(4) : gap;
  return (
    values.length === DESCRIPTOR_BYTES &&
    values.readUInt32LE(0) === crc &&
    values.readUInt32LE(4) === compressedSize &&
    values.readUInt32LE(8) === size
  );
};

/** Reads an entry's contents between its local header and the next header. @shape end: position of the next local header, or of the directory */
const readEntry = (zip: Buffer, entry: DirectoryEntry, end: number): ZipEntry => {
  const { nameBytes, label, isFolder, isDeflated, crc, size, flags, compressedSize, offset: at } = entry;
  const overlap = () => refuseEntry(label, "shares its bytes with another file of the archive");
  if (at + LOCAL_HEADER_BYTES > end) return overlap();
  if (zip.readUInt32LE(at) !== LOCAL_SIGNATURE) return refuseDamaged();
  const nameEnd = at + LOCAL_HEADER_BYTES + zip.readUInt16LE(at + 26);
  const start = nameEnd + zip.readUInt16LE(at + 28);
  const dataEnd = start + compressedSize;
  if (dataEnd > end) return overlap();
  const hasDescriptor = (flags & HAS_DESCRIPTOR) !== 0;
  const sameAsListed = [crc, compressedSize, size].every((value, index) => {
    const local = zip.readUInt32LE(at + 14 + 4 * index);
    return local === value || (hasDescriptor && local === 0);
  });
  const isListed =
    zip.subarray(at + LOCAL_HEADER_BYTES, nameEnd).equals(nameBytes) &&
    (zip.readUInt16LE(at + 6) & COMPARED_FLAGS) === (flags & COMPARED_FLAGS) &&
    zip.readUInt16LE(at + 8) === (isDeflated ? DEFLATED : STORED);
  if (!sameAsListed || !isListed) refuseEntry(label, "differs from the archive's list of files");
  checkExtraFields(zip.subarray(nameEnd, start), nameBytes, label);
  const gap = zip.subarray(dataEnd, end);
  if (hasDescriptor ? !isDescriptorOf(gap, entry) : gap.length > 0) return refuseDamaged();
  return { nameBytes, label, isFolder, isDeflated, crc, size, data: zip.subarray(start, dataEnd) };
};

/**
 * Lists the entries of a zip archive in the order of its central directory. The entries, the directory and the end record must fill the
 * file without gaps and without overlap, so that all programs read the same files from it.
 * @errors PackageRefused
 */
export const zipEntries = (archive: Uint8Array): readonly ZipEntry[] => {
  const zip = Buffer.from(archive.buffer, archive.byteOffset, archive.byteLength);
  const end = endRecordAt(zip);
  const locator = end - ZIP64_LOCATOR_BYTES;
  if (locator >= 0 && zip.readUInt32LE(locator) === ZIP64_LOCATOR_SIGNATURE) refuseZip64();
  const [disk, directoryDisk, countOfDisk, count] = [4, 6, 8, 10].map((offset) => zip.readUInt16LE(end + offset));
  const directory = zip.readUInt32LE(end + 16);
  if (disk !== 0 || directoryDisk !== 0 || countOfDisk !== count) return refuseDamaged();
  if (directory + zip.readUInt32LE(end + 12) !== end) return refuseDamaged();
  if (count === undefined || count > PACKAGE_ENTRIES_MAX)
    throw new PackageRefused(`It has more than ${PACKAGE_ENTRIES_MAX} files and folders.`, { isTooLarge: true });
  const listed: DirectoryEntry[] = [];
  let at = directory;
  for (let index = 0; index < count; index += 1) {
    const { entry, next } = readDirectoryEntry(zip, at, end);
    listed.push(entry);
    at = next;
  }
  if (at !== end) return refuseDamaged();
  const offsets = listed.map(({ offset }) => offset).sort((one, other) => one - other);
  if ((offsets[0] ?? directory) !== 0) return refuseDamaged();
  const ends = new Map(offsets.map((offset, index) => [offset, offsets[index + 1] ?? directory]));
  // Two entries with one local header: the first of them ends where it begins.
  for (const [index, offset] of offsets.entries()) if (offsets[index + 1] === offset) ends.set(offset, offset);
  return listed.map((entry) => readEntry(zip, entry, ends.get(entry.offset) ?? entry.offset));
};
