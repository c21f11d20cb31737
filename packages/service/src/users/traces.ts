import type { User } from "@parley/contract";

/** Takes a user's traces out of a text. */
export type Redact = (text: string) => string;

/** What stands in the place of a name or a number. */
const REMOVED = "[removed]";
/** Shorter names are words of their own in too many languages. @units characters */
const SHORTEST = 2;
/** Values of properties are often words like yes and gold, which name nobody. @units characters */
const SHORTEST_VALUE = 5;

const long = (texts: readonly (string | undefined)[], least: number): string[] =>
  texts.flatMap((text) => (text !== undefined && text.trim().length >= least ? [text.trim()] : []));

const tracesOf = ({ first_name, last_name, email, phone, reference_id, ...user }: User): string[] => [
  ...long([first_name, last_name, email, phone, reference_id, user.avatar?.url], SHORTEST),
  ...long(user.social_profiles?.map(({ id }) => id) ?? [], SHORTEST),
  ...long(user.properties?.map(({ value }) => value) ?? [], SHORTEST_VALUE),
];

const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");

/**
 * Knows a user by all that the user is and was called.
 * @shape bodies: the user's JSON texts, of all revisions
 * @assumed Names, addresses, numbers and properties of a deleted user are taken out where agents, bots and the system wrote them, as whole
 * words, in any case.
 */
export const redaction = (bodies: readonly string[]): Redact => {
  const traces = new Set(bodies.flatMap((body) => tracesOf(JSON.parse(body) as User)));
  if (traces.size === 0) return (text) => text;
  // The longest first: one may be the beginning of another.
  const words = [...traces].sort((a, b) => b.length - a.length).map(escaped);
  const pattern = new RegExp(`(?<![\\p{L}\\p{N}])(?:${words.join("|")})(?![\\p{L}\\p{N}])`, "giu");
  return (text) => text.replace(pattern, REMOVED);
};
