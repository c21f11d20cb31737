import {
  isObject,
  LIMITS,
  PAYLOAD_TOO_LARGE,
  refuse,
  INVALID_VALUE,
  IMPORT_RECORDS,
  type ImportedRecord,
  isRefusal,
  type ImportedConversation,
  type ImportedCsat,
  type ImportedMessage,
  type ImportedUpload,
  type ImportedUser,
  type Refusal,
} from "@parley/contract";
import { bodyCheckOf } from "../../../http/request-check.ts";
import { parseJson } from "../../../http/parse-json.ts";

/** A line with its number, counted from 1. */
interface Line {
  readonly number: number;
  readonly bytes: Buffer;
}

/** Larger than any request of the API. @units bytes */
const LINE_BYTES_MAX = 2 * LIMITS.body_bytes;
const LINE_FEED = 10;

const isBlank = (bytes: Buffer): boolean => bytes.length < 3 && bytes.toString("latin1").trim() === "";

/**
 * Splits bytes into lines, one list per chunk. Blank lines are counted and skipped.
 * @errors PAYLOAD_TOO_LARGE for a line longer than LINE_BYTES_MAX
 */
async function* linesOf(source: AsyncIterable<Uint8Array>): AsyncGenerator<readonly Line[]> {
  let number = 0;
  let pending: Buffer[] = [];
  let length = 0;
  const close = (last: Buffer): Line => {
    const bytes = pending.length === 0 ? last : Buffer.concat([...pending, last]);
    pending = [];
    length = 0;
    return { number: ++number, bytes };
  };
  for await (const part of source) {
    const chunk = Buffer.isBuffer(part) ? part : Buffer.from(part);
    const lines: Line[] = [];
    let begin = 0;
    for (let end = chunk.indexOf(LINE_FEED); end !== -1; end = chunk.indexOf(LINE_FEED, begin)) {
      const line = close(chunk.subarray(begin, end));
      if (!isBlank(line.bytes)) lines.push(line);
      begin = end + 1;
    }
    if (begin < chunk.length) {
      // A copy, so that the rest of a line doesn't retain its whole chunk in memory.
      pending.push(Buffer.from(chunk.subarray(begin)));
      length += chunk.length - begin;
    }
    if (lines.length > 0) yield lines;
    if (length > LINE_BYTES_MAX)
      refuse(PAYLOAD_TOO_LARGE, `Line ${number + 1} is longer than ${LINE_BYTES_MAX} bytes: a record is one line.`);
  }
  const last = close(Buffer.alloc(0));
  if (!isBlank(last.bytes)) yield [last];
}

const CHECKS = new Map(
  Object.entries(IMPORT_RECORDS).map(([type, schema]) => [
    type,
    { names: new Set(Object.keys(schema.properties)), check: bodyCheckOf(schema) },
  ]),
);
const TYPES = [...CHECKS.keys()].join(", ");

/** Longest part of an unknown member name that a message repeats. @units characters */
const NAME_CHARS_MAX = 100;

/**
 * Reads one line.
 * @errors INVALID_JSON, INVALID_VALUE, MISSING_PARAMETER
 * @assumed An unknown member of a record is refused. An unknown member of a nested object, such as a part or a profile, is ignored, as in a
 * request.
 */
const recordOf = (bytes: Buffer): ImportedRecord => {
  const value = parseJson(bytes, "The line");
  if (!isObject(value)) return refuse(INVALID_VALUE, `A line must be an object such as {"type": "user", …}`);
  const { type } = value as { readonly type?: unknown };
  const rule = typeof type === "string" ? CHECKS.get(type) : undefined;
  if (!rule) return refuse(INVALID_VALUE, `type must be one of ${TYPES}`);
  const unknownName = Object.keys(value).find((name) => !rule.names.has(name));
  if (unknownName !== undefined)
    refuse(
      INVALID_VALUE,
      `${unknownName.slice(0, NAME_CHARS_MAX)} is not a member of a record of the type ${String(type)}`,
    );
  return rule.check(value) as ImportedRecord;
};

/** A record with its line number. */
export interface AtLine<T> {
  readonly line: number;
  readonly record: T;
}

/** A line that is refused. */
export interface ImportLineProblem {
  readonly line: number;
  readonly refusal: Refusal;
}

/** Records that are written in one transaction. */
export interface ImportBatch {
  readonly uploads: AtLine<ImportedUpload>[];
  readonly users: AtLine<ImportedUser>[];
  readonly conversations: AtLine<ImportedConversation>[];
  readonly messages: AtLine<ImportedMessage>[];
  readonly csats: AtLine<ImportedCsat>[];
}

/** A record that is processed outside of batches. */
export type SingleRecord = Exclude<ImportedRecord, { type: keyof typeof BATCH_LISTS }>;

/** The pieces of a file, in its order. */
export type ImportPiece =
  | { readonly kind: "batch"; readonly batch: ImportBatch; readonly line: number; readonly records: number }
  | { readonly kind: "record"; readonly record: AtLine<SingleRecord> }
  | { readonly kind: "problem"; readonly problem: ImportLineProblem };

/** The list of a batch that holds the records of a type. Records of other types are processed one by one. */
const BATCH_LISTS = {
  upload: "uploads",
  user: "users",
  conversation: "conversations",
  message: "messages",
  csat: "csats",
} as const satisfies Record<string, keyof ImportBatch>;

/** Records per transaction. Larger batches survive several rounds of the garbage collector, which copies them each time. */
const BATCH_RECORDS_MAX = 1_000;
/** Payload per transaction. @units bytes */
const BATCH_BYTES_MAX = 1_048_576;
/** Lines between two yields to the event loop, so that replies of the database are processed in time. */
const LINES_PER_YIELD = 200;

const emptyBatch = (): ImportBatch => ({ uploads: [], users: [], conversations: [], messages: [], csats: [] });

/** A key that occurs once per batch. The second of two records with one id is compared with the result of the first. */
const keyOf = (record: ImportedRecord): string | undefined => {
  switch (record.type) {
    case "user":
    case "message":
      return `${record.type} ${record.id.toLowerCase()}`;
    case "conversation":
      return `conversation ${record.conversation_id.toLowerCase()}`;
    default:
      return undefined;
  }
};

const isBatched = (record: ImportedRecord): record is Extract<ImportedRecord, { type: keyof typeof BATCH_LISTS }> =>
  Object.hasOwn(BATCH_LISTS, record.type);

/** The records of a batch before a line. */
export const batchBefore = (batch: ImportBatch, line: number): ImportBatch => {
  const listBefore = <T>(list: readonly AtLine<T>[]): AtLine<T>[] => list.filter((each) => each.line < line);
  return {
    uploads: listBefore(batch.uploads),
    users: listBefore(batch.users),
    conversations: listBefore(batch.conversations),
    messages: listBefore(batch.messages),
    csats: listBefore(batch.csats),
  };
};

/** The last line of a piece. */
export const lastLineOf = (piece: ImportPiece): number =>
  piece.kind === "batch" ? piece.line : piece.kind === "record" ? piece.record.line : piece.problem.line;

/** The first line of a piece. */
export const firstLineOfPiece = (piece: ImportPiece): number =>
  piece.kind === "batch"
    ? Math.min(...Object.values(piece.batch).map(([first]: readonly AtLine<unknown>[]) => first?.line ?? Infinity))
    : lastLineOf(piece);

/** Reads records and groups those that can be written together. A line that can't be read is a piece of its own. */
export async function* readPieces(source: AsyncIterable<Uint8Array>): AsyncGenerator<ImportPiece> {
  let batch = emptyBatch();
  let keys = new Set<string>();
  let [count, bytes, line] = [0, 0, 0];
  const close = (): ImportPiece[] => {
    const piece: ImportPiece = { kind: "batch", batch, line, records: count };
    const isEmpty = count === 0;
    batch = emptyBatch();
    keys = new Set();
    [count, bytes] = [0, 0];
    return isEmpty ? [] : [piece];
  };
  let lineCount = 0;
  for await (const lines of linesOf(source))
    for (const { number, bytes: text } of lines) {
      // Yields, so that the service answers other requests during an import.
      if (++lineCount % LINES_PER_YIELD === 0) await new Promise(setImmediate);
      let record: ImportedRecord;
      try {
        record = recordOf(text);
      } catch (error) {
        if (!isRefusal(error)) throw error;
        yield* close();
        yield { kind: "problem", problem: { line: number, refusal: error } };
        continue;
      }
      if (!isBatched(record)) {
        yield* close();
        yield { kind: "record", record: { line: number, record } };
        continue;
      }
      const key = keyOf(record);
      if ((key !== undefined && keys.has(key)) || count >= BATCH_RECORDS_MAX || bytes >= BATCH_BYTES_MAX)
        yield* close();
      if (key !== undefined) keys.add(key);
      (batch[BATCH_LISTS[record.type]] as AtLine<ImportedRecord>[]).push({ line: number, record });
      count += 1;
      bytes += text.length;
      line = number;
    }
  yield* close();
}
