import { readKey, KEY_BYTES } from "./chunk.ts";
import { compareNewest, keyBefore, type DocumentKey } from "./documents.ts";
import type { ChunkRange, RecentFilter, SearchedIndex, SearchStore } from "./find.sql.ts";
import { wordsOfRecent } from "./index.sql.ts";
import { matchChunks, type SearchPlan } from "./match-chunks.ts";
import { matchesQuery, type QueryTerm } from "./query.ts";

/** Chunks that are searched at a time: the first few usually fill the page; then each time this many times as many as before. */
const FIRST_CHUNKS = 2;
const CHUNKS_GROWTH = 6;
const CHUNKS_MAX = 256;
/** Recent documents that are read at a time. */
const RECENT_PAGE = 200;
/** Keys of documents that are read at a time. */
const KEYS_PAGE = 64;

/** A part of the index: the recent documents or a chunk. Its candidates come from the newest on. */
interface Source {
  /** The next candidates that are known; undefined: they have to be read. */
  readonly known: DocumentKey[];
  /** No later candidate is newer. undefined without a candidate */
  bound(): DocumentKey | undefined;
}

interface ChunkSource extends Source {
  readonly chunk: ChunkRange;
  /** Ordinals of the candidates whose keys are not known. */
  readonly ordinals: number[];
}

const likePattern = ({ words: [{ lexeme, isPrefix }] }: QueryTerm): string => `% ${lexeme}${isPrefix ? "" : " "}%`;

const filterOf = ({ query, marks, assignees }: SearchPlan): RecentFilter => ({
  patterns: query.required.map(likePattern),
  marks,
  assignees,
});

const isAfter = (key: DocumentKey, { after, from }: SearchedIndex): boolean =>
  (after === undefined || compareNewest(key, after) > 0) && (from === undefined || key.time >= from);

/** What is left of a search that has not come to its end. */
interface CandidatePage {
  readonly keys: readonly DocumentKey[];
  /** All newer candidates have been returned. undefined: there are no more */
  readonly reached: DocumentKey | undefined;
}

/**
 * Walks over the documents that match by the index, the newest first. Chunks may overlap in time: a candidate is returned once no part of
 * the index can contain a newer one.
 */
export const createCandidates = async (store: SearchStore, index: SearchedIndex, plan: SearchPlan) => {
  const filter = filterOf(plan);
  // Recent documents are read before the list of the chunks: one that becomes part of a chunk in between is found twice rather than not at all.
  const recent: { known: DocumentKey[]; next: DocumentKey | undefined } = { known: [], next: undefined };
  const readRecent = async (after: DocumentKey | undefined): Promise<void> => {
    const rows = await store.recent({ ...index, after }, filter, RECENT_PAGE);
    const last = rows.at(-1);
    recent.known.push(...rows.filter(({ words }) => matchesQuery(plan.query, wordsOfRecent(words))));
    recent.next = rows.length === RECENT_PAGE && last ? { time: last.time, id: last.id } : undefined;
  };
  await readRecent(index.after);
  const unopened = await store.chunks(index);
  const opened: ChunkSource[] = [];
  let windowSize = FIRST_CHUNKS;
  let last: DocumentKey | undefined;

  const open = async (): Promise<void> => {
    const chunks = unopened.splice(0, windowSize);
    windowSize = Math.min(windowSize * CHUNKS_GROWTH, CHUNKS_MAX);
    const found = await matchChunks(
      store,
      index,
      chunks.map(({ chunk }) => chunk),
      plan,
    );
    for (const chunk of chunks) {
      const ordinals = found.get(chunk.chunk);
      if (!ordinals) continue;
      const { after } = index;
      // A chunk that begins before the cursor: its first documents are skipped.
      const first =
        after && compareNewest(chunk.newest, after) <= 0
          ? firstAfter(await store.allKeys(index, chunk.chunk), after)
          : 0;
      const left = ordinals.filter((ordinal) => ordinal >= first);
      const source: ChunkSource = {
        chunk,
        ordinals: left,
        known: [],
        bound: () => source.known[0] ?? (source.ordinals.length > 0 ? chunk.newest : undefined),
      };
      if (left.length > 0) opened.push(source);
    }
  };

  /** Reads the next keys of a chunk, and the first ones of those after it. */
  const readKeys = async (wanted: ChunkSource): Promise<void> => {
    const places: { chunk: number; ordinal: number }[] = [];
    for (const source of opened.slice(opened.indexOf(wanted))) {
      if (places.length >= KEYS_PAGE) break;
      if (source.known.length > 0) continue;
      const ordinals = source.ordinals.splice(0, KEYS_PAGE - places.length);
      places.push(...ordinals.map((ordinal) => ({ chunk: source.chunk.chunk, ordinal })));
    }
    const byChunk = new Map(opened.map((source) => [source.chunk.chunk, source]));
    for (const { chunk, key } of await store.keys(index, places)) {
      const [read, source] = [readKey(key), byChunk.get(chunk)];
      if (isAfter(read, index)) source?.known.push(read);
      // All that follow are older still.
      else if (index.from !== undefined && read.time < index.from) source?.ordinals.splice(0);
    }
    for (let place = opened.length - 1; place >= 0; place--) if (!opened[place]?.bound()) opened.splice(place, 1);
  };

  /** The known candidate that is the newest of all, or what has to be read to find it. */
  const step = async (): Promise<DocumentKey | "again" | undefined> => {
    const chunk = opened.reduce<ChunkSource | undefined>((best, source) => {
      const [bound, other] = [source.bound(), best?.bound()];
      return bound && (!other || compareNewest(bound, other) < 0) ? source : best;
    }, undefined);
    const bounds = [recent.known[0] ?? recent.next, chunk?.bound()].flatMap((bound) => bound ?? []);
    const newest = bounds.toSorted(compareNewest)[0];
    if (unopened[0] && (!newest || compareNewest(unopened[0].newest, newest) <= 0)) {
      await open();
      return "again";
    }
    if (!newest) return undefined;
    if (chunk && newest === chunk.bound()) {
      const key = chunk.known.shift();
      if (!key) {
        await readKeys(chunk);
        return "again";
      }
      if (!chunk.bound()) opened.splice(opened.indexOf(chunk), 1);
      return key;
    }
    const key = recent.known.shift();
    if (!key) await readRecent(recent.next);
    return key ?? "again";
  };

  /** What the next candidates are not newer than. */
  const position = (): DocumentKey | undefined =>
    [recent.known[0] ?? recent.next, unopened[0]?.newest, ...opened.map((source) => source.bound())]
      .flatMap((bound) => bound ?? [])
      .toSorted(compareNewest)[0];

  /**
   * Whether a search that goes on from this position gets further than this one did. Parts of the index that were read and contain no
   * candidate are read again if they span the position.
   */
  const isAhead = (): boolean => {
    const reached = position();
    return !reached || !index.after || compareNewest(keyBefore(reached), index.after) > 0;
  };

  return {
    /** The next candidates, fewer at the deadline or at the end. Each call gets further, however late it is. */
    async take(count: number, isOver: () => boolean): Promise<CandidatePage> {
      const keys: DocumentKey[] = [];
      let hasProgress = false;
      while (keys.length < count && !(hasProgress && isOver())) {
        const found = await step();
        if (!found) break;
        hasProgress ||= typeof found !== "string" || isAhead();
        if (found === "again") continue;
        // A document that was indexed twice.
        if (last && compareNewest(found, last) === 0) continue;
        last = { time: found.time, id: found.id };
        keys.push(last);
      }
      return { keys, reached: position() };
    },
  };
};

/** The first ordinal of a chunk whose document comes after a key. */
const firstAfter = (keys: Uint8Array, after: DocumentKey): number => {
  let [low, high] = [0, keys.length / KEY_BYTES];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (compareNewest(readKey(keys, middle), after) > 0) high = middle;
    else low = middle + 1;
  }
  return low;
};
