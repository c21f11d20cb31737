import { crc32, deflateRawSync } from "node:zlib";

/** One entry of an archive that is written byte by byte. What is not given is written as a correct archive has it. */
export interface ZipPart {
  readonly name: string | Buffer;
  readonly content?: string | Buffer;
  readonly method?: number;
  readonly flags?: number;
  readonly madeBy?: number;
  readonly attributes?: number;
  /** Compressed bytes. */
  readonly data?: Buffer;
  readonly crc?: number;
  readonly size?: number;
  readonly compressedSize?: number;
  readonly extra?: Buffer;
  /** Position of the local header that the directory names. */
  readonly offset?: number;
  readonly disk?: number;
  /** Values of the local header that differ from the directory's. */
  readonly local?: Partial<Record<"crc" | "size" | "compressedSize" | "method" | "flags", number>> & {
    readonly name?: string;
    readonly extra?: Buffer;
  };
  /** Bytes between this entry and the next one. */
  readonly after?: Buffer;
}

export interface ZipFrame {
  readonly before?: Buffer;
  /** Bytes between the directory and the end record. */
  readonly beforeEnd?: Buffer;
  readonly after?: Buffer;
  readonly comment?: string;
  readonly count?: number;
  readonly directorySize?: number;
  readonly directoryOffset?: number;
}

const REGULAR = (0o100644 << 16) >>> 0;
const UNIX = 3 << 8;
const DEFLATED = 8;

/** Bytes of integers, least significant byte first. @shape [size in bytes, value] */
export const littleEndian = (...fields: readonly (readonly [number, number])[]): Buffer =>
  Buffer.concat(
    fields.map(([size, value]) => {
      const bytes = Buffer.alloc(size);
      bytes.writeUIntLE(value, 0, size);
      return bytes;
    }),
  );

/** The bytes that follow an entry whose sizes are not in its local header. */
export const descriptor = (content: string | Buffer, hasSignature = true): Buffer => {
  const bytes = Buffer.from(content);
  return Buffer.concat([
    hasSignature ? littleEndian([4, 0x08074b50]) : Buffer.alloc(0),
    littleEndian([4, crc32(bytes)], [4, deflateRawSync(bytes).length], [4, bytes.length]),
  ]);
};

/** Writes an archive. */
export const buildZip = (parts: readonly ZipPart[], frame: ZipFrame = {}): Buffer => {
  const { before = Buffer.alloc(0), beforeEnd = Buffer.alloc(0), after = Buffer.alloc(0), comment = "" } = frame;
  const chunks: Buffer[] = [before];
  const directory: Buffer[] = [];
  let at = before.length;
  for (const part of parts) {
    const name = Buffer.from(part.name);
    const content = Buffer.from(part.content ?? "");
    const { method = DEFLATED, flags = 0x0800, madeBy = UNIX | 20, attributes = REGULAR, local = {} } = part;
    const data = part.data ?? (method === DEFLATED ? deflateRawSync(content) : content);
    const { crc = crc32(content), size = content.length, compressedSize = data.length } = part;
    const { extra = Buffer.alloc(0), offset = at, disk = 0 } = part;
    const localName = Buffer.from(local.name ?? name);
    const localExtra = local.extra ?? Buffer.alloc(0);
    const header = Buffer.concat([
      littleEndian([4, 0x04034b50], [2, 20], [2, local.flags ?? flags], [2, local.method ?? method], [4, 0]),
      littleEndian([4, local.crc ?? crc], [4, local.compressedSize ?? compressedSize], [4, local.size ?? size]),
      littleEndian([2, localName.length], [2, localExtra.length]),
      localName,
      localExtra,
    ]);
    directory.push(
      littleEndian([4, 0x02014b50], [2, madeBy], [2, 20], [2, flags], [2, method], [4, 0]),
      littleEndian([4, crc], [4, compressedSize], [4, size], [2, name.length], [2, extra.length], [2, 0], [2, disk]),
      littleEndian([2, 0], [4, attributes], [4, offset]),
      name,
      extra,
    );
    const all = Buffer.concat([header, data, part.after ?? Buffer.alloc(0)]);
    chunks.push(all);
    at += all.length;
  }
  const listed = Buffer.concat(directory);
  const { count = parts.length, directorySize = listed.length, directoryOffset = at } = frame;
  const end = Buffer.concat([
    littleEndian([4, 0x06054b50], [2, 0], [2, 0], [2, count], [2, count], [4, directorySize], [4, directoryOffset]),
    littleEndian([2, Buffer.byteLength(comment)]),
    Buffer.from(comment),
  ]);
  return Buffer.concat([...chunks, listed, beforeEnd, end, after]);
};
