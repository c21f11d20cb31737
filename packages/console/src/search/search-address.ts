import type { SearchKind } from "@parley/contract";

export const RESULT_KINDS: readonly SearchKind[] = ["messages", "users", "conversations"];

/** How far back a search goes. @units days; null: to the beginning */
export const RANGES = { any: null, day: 1, week: 7, month: 30, year: 365 } as const;
export type Range = keyof typeof RANGES;
const DAY_MS = 86_400_000;

/** The limit of the service. @units characters */
export const SEARCH_TEXT_MAX = 200;

/** Values in the address of the search. Absent: every kind, topic and time. */
export interface SearchAddress {
  readonly q?: string;
  readonly kind?: SearchKind;
  /** Id of the topic. Customers have no topic. */
  readonly channel?: string;
  readonly range?: Exclude<Range, "any">;
}

/** Whether results of the kind belong to topics. */
export const hasTopics = (kind: SearchKind | undefined): boolean => kind !== "users";

const isRange = (value: unknown): value is Exclude<Range, "any"> =>
  typeof value === "string" && value !== "any" && Object.hasOwn(RANGES, value);

/** -> the known parameters of an address; those without a valid value are left out */
export const checkSearchAddress = (search: Readonly<Record<string, unknown>>): SearchAddress => {
  const { q, channel, range } = search;
  const text = typeof q === "string" || typeof q === "number" ? String(q).slice(0, SEARCH_TEXT_MAX) : "";
  const kind = RESULT_KINDS.find((each) => each === search["kind"]);
  return {
    ...(text !== "" && { q: text }),
    ...(kind && { kind }),
    ...(typeof channel === "string" && channel !== "" && hasTopics(kind) && { channel }),
    ...(isRange(range) && { range }),
  };
};

/** -> the time from which on results count; undefined: from the beginning. @shape now: milliseconds of the epoch */
export const rangeStart = (range: Range, now: number): string | undefined => {
  const days = RANGES[range];
  return days === null ? undefined : new Date(now - days * DAY_MS).toISOString();
};
