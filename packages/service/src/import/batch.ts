import {
  isRefusal,
  type ImportedConversation,
  type ImportedCsat,
  type ImportedMessage,
  type ImportedRecord,
  type ImportedUpload,
  type ImportedUser,
  type Refusal,
} from "@parley/contract";
import { linesOf } from "./lines.ts";
import { recordOf } from "./record.ts";

/** A record with the line that it stands in. */
export interface At<T> {
  readonly line: number;
  readonly record: T;
}

/** A line that is refused. */
export interface LineProblem {
  readonly line: number;
  readonly refusal: Refusal;
}

/** Records that go into the database together. */
export interface Batch {
  readonly uploads: At<ImportedUpload>[];
  readonly users: At<ImportedUser>[];
  readonly conversations: At<ImportedConversation>[];
  readonly messages: At<ImportedMessage>[];
  readonly csats: At<ImportedCsat>[];
}

/** A record that is taken in by itself. */
export type Single = Exclude<ImportedRecord, { type: keyof typeof PLACES }>;

/** What comes out of a file, in its order. */
export type Piece =
  | { readonly kind: "batch"; readonly batch: Batch; readonly line: number; readonly records: number }
  | { readonly kind: "record"; readonly record: At<Single> }
  | { readonly kind: "problem"; readonly problem: LineProblem };

/** Where records of a type lie in a batch; the others are taken one by one. */
const PLACES = {
  upload: "uploads",
  user: "users",
  conversation: "conversations",
  message: "messages",
  csat: "csats",
} as const satisfies Record<string, keyof Batch>;

/** Records of a transaction. More of them would outlive several rounds of the garbage collector, which then copies them again and again. */
const RECORDS = 1_000;
/** @units bytes */
const BYTES = 1_048_576;
/** Lines that are read before the others of the process have their turn: what the database has said is heard in good time. */
const STRETCH = 200;

const emptyBatch = (): Batch => ({ uploads: [], users: [], conversations: [], messages: [], csats: [] });

/** What may stand in a batch once: of two records of one id the second is judged by what the first has become. */
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

const isBatched = (record: ImportedRecord): record is Extract<ImportedRecord, { type: keyof typeof PLACES }> =>
  Object.hasOwn(PLACES, record.type);

/** A batch less what stands at a line or behind it. */
export const before = (batch: Batch, line: number): Batch => {
  const kept = <T>(list: readonly At<T>[]): At<T>[] => list.filter((each) => each.line < line);
  return {
    uploads: kept(batch.uploads),
    users: kept(batch.users),
    conversations: kept(batch.conversations),
    messages: kept(batch.messages),
    csats: kept(batch.csats),
  };
};

/** The last line of a piece. */
export const lineOf = (piece: Piece): number =>
  piece.kind === "batch" ? piece.line : piece.kind === "record" ? piece.record.line : piece.problem.line;

/** The first line of a piece. */
export const firstOf = (piece: Piece): number =>
  piece.kind === "batch"
    ? Math.min(...Object.values(piece.batch).map(([first]: readonly At<unknown>[]) => first?.line ?? Infinity))
    : lineOf(piece);

/** Reads records, and puts those together that may be written together. A line that can't be read is a piece of its own. */
export async function* piecesOf(source: AsyncIterable<Uint8Array>): AsyncGenerator<Piece> {
  let batch = emptyBatch();
  let keys = new Set<string>();
  let [count, bytes, line] = [0, 0, 0];
  const close = (): Piece[] => {
    const piece: Piece = { kind: "batch", batch, line, records: count };
    const isEmpty = count === 0;
    batch = emptyBatch();
    keys = new Set();
    [count, bytes] = [0, 0];
    return isEmpty ? [] : [piece];
  };
  let stretch = 0;
  for await (const lines of linesOf(source))
    for (const { number, bytes: text } of lines) {
      // A service that takes records in still answers its other requests.
      if (++stretch % STRETCH === 0) await new Promise(setImmediate);
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
      if ((key !== undefined && keys.has(key)) || count >= RECORDS || bytes >= BYTES) yield* close();
      if (key !== undefined) keys.add(key);
      (batch[PLACES[record.type]] as At<ImportedRecord>[]).push({ line: number, record });
      count += 1;
      bytes += text.length;
      line = number;
    }
  yield* close();
}
