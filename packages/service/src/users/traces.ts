import type { User } from "@parley/contract";

/** Takes a user's traces out of a text. */
export type Redact = (text: string) => string;

/** What stands in the place of a name or a number. */
const REMOVED = "[removed]";
/** Shorter names are words of their own in too many languages. @units characters */
const SHORTEST = 2;
/** Values of properties are often words like yes and gold, which name nobody. @units characters */
const SHORTEST_VALUE = 5;

/** Longer ones are no name: addresses of pictures are the longest that are looked for. @units characters */
const LONGEST = 4_096;

const long = (texts: readonly (string | undefined)[], least: number): string[] =>
  texts.flatMap((text) => {
    const trace = text?.trim() ?? "";
    return trace.length >= least && trace.length <= LONGEST ? [trace] : [];
  });

const tracesOf = ({ first_name, last_name, email, phone, reference_id, ...user }: User): string[] => [
  ...long([first_name, last_name, email, phone, reference_id, user.avatar?.url], SHORTEST),
  ...long(user.social_profiles?.map(({ id }) => id) ?? [], SHORTEST),
  ...long(user.properties?.map(({ value }) => value) ?? [], SHORTEST_VALUE),
];

const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");

/** A pattern has its bounds, and a user may have had any number of names. @units characters */
const PATTERN = 32_768;

/** @shape words: escaped */
const patternsOf = (words: readonly string[]): RegExp[] => {
  const groups: string[][] = [];
  let room = 0;
  for (const word of words) {
    if (word.length > room) {
      groups.push([]);
      room = PATTERN;
    }
    groups.at(-1)?.push(word);
    room -= word.length;
  }
  return groups.map((group) => new RegExp(`(?<![\\p{L}\\p{N}])(?:${group.join("|")})(?![\\p{L}\\p{N}])`, "giu"));
};

/**
 * Knows a user by all that the user is and was called.
 * @shape bodies: the user's JSON texts, of all revisions
 * @assumed Names, addresses, numbers and properties of a deleted user are taken out where agents, bots and the system wrote them, as whole
 * words, in any case.
 */
export const redaction = (bodies: readonly string[]): Redact => {
  const traces = new Set(bodies.flatMap((body) => tracesOf(JSON.parse(body) as User)));
  // The longest first: one may be the beginning of another.
  const patterns = patternsOf([...traces].sort((a, b) => b.length - a.length).map(escaped));
  return (text) => patterns.reduce((left, pattern) => left.replace(pattern, REMOVED), text);
};
