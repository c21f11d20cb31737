import { BASE_PATH, isRefusal, NOT_FOUND, Refusal } from "@parley/contract";
import type { FastifyRequest } from "fastify";
import type { ServedAddress } from "./method-not-allowed.ts";

/** Longer addresses get no hint: the comparison would cost more than it helps. @units characters */
const PATH_LENGTH_MAX = 200;
/** Edits by which an address may differ from a documented address. */
const EDITS_MAX = 3;

/** Levenshtein distance, without regard to case and to hyphens in place of underscores. */
const distanceOf = (one: string, other: string): number => {
  const [a, b] = [one, other].map((text) => text.toLowerCase().replaceAll("_", "-")) as [string, string];
  let before = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let row = 1; row <= a.length; row++) {
    const next = [row];
    for (let column = 1; column <= b.length; column++) {
      const replaced = (before[column - 1] ?? 0) + (a[row - 1] === b[column - 1] ? 0 : 1);
      next.push(Math.min(replaced, (before[column] ?? 0) + 1, (next[column - 1] ?? 0) + 1));
    }
    before = next;
  }
  return before[b.length] ?? 0;
};

const segmentsOf = (path: string): string[] => path.split("/").filter(Boolean);

/** Edits from an address to a pattern, or to its beginning; Infinity if they have little in common. */
const editsTo = (pattern: readonly string[], path: readonly string[]): number => {
  const absent = pattern.length - path.length;
  if (absent < 0 || absent > 1) return Infinity;
  const edits = path.map((segment, index) => {
    const expected = pattern[index] ?? "";
    if (expected.startsWith(":")) return 0;
    const distance = distanceOf(segment, expected);
    return distance > Math.max(1, Math.floor(expected.length / 3)) ? Infinity : distance;
  });
  return edits.reduce((sum, each) => sum + each, absent);
};

/** `/v2/users/:user_id` -> `/v2/users/{user_id}` */
const documented = (pattern: string): string => pattern.replaceAll(/:(\w+)/g, "{$1}");

const isOfApi = ({ path }: ServedAddress): boolean => path.startsWith(`${BASE_PATH}/`);

/** -> the address of the API that a wrong address comes closest to; undefined if no address is close */
export const nearestAddress = (path: string, addresses: readonly ServedAddress[]): string | undefined => {
  if (path.length > PATH_LENGTH_MAX) return undefined;
  const segments = segmentsOf(path);
  const asked = `/${segments[0] ?? ""}` === BASE_PATH ? segments : [...segmentsOf(BASE_PATH), ...segments];
  // The version alone is not a resource.
  if (asked.length < 2) return undefined;
  let [nearest, fewest]: [string | undefined, number] = [undefined, EDITS_MAX + 1];
  for (const { path: pattern } of addresses.filter(isOfApi)) {
    const edits = editsTo(segmentsOf(pattern), asked);
    if (edits < fewest) [nearest, fewest] = [pattern, edits];
  }
  return nearest === undefined ? undefined : documented(nearest);
};

/** Words that other APIs have after a resource. In the place of an id, as in `/v2/agents/list`, they are meant for the list. */
const LIST_WORDS: readonly string[] = ["list", "all", "search", "find", "query", "me", "current", "count"];

/** -> what a word in the place of an id may have been meant for; undefined if the address has no such word */
const wordForId = (
  pattern: string,
  params: Readonly<Record<string, string>>,
  addresses: readonly ServedAddress[],
): string | undefined => {
  if (!isOfApi({ path: pattern, methods: [] })) return undefined;
  const [name, word] = Object.entries(params).find(([, value]) => LIST_WORDS.includes(value.toLowerCase())) ?? [];
  if (name === undefined) return undefined;
  const parent = pattern.slice(0, pattern.indexOf(`/:${name}`));
  const list = addresses.find(({ path, methods }) => path === parent && methods.includes("GET"));
  return `'${word}' stands in the place of {${name}} in ${documented(pattern)}${list ? `: GET ${parent} is the list` : ""}`;
};

/** Explains the 404 of an object whose id is a word. */
export const withWordHint = (
  thrown: unknown,
  { routeOptions, params }: FastifyRequest,
  addresses: readonly ServedAddress[],
): unknown => {
  if (!isRefusal(thrown) || thrown.problem.code !== 404 || thrown.problem === NOT_FOUND) return thrown;
  const hint = wordForId(routeOptions.url ?? "", (params ?? {}) as Record<string, string>, addresses);
  return hint === undefined ? thrown : new Refusal(thrown.problem, `${thrown.message}: ${hint}`, thrown.retryAfter);
};
