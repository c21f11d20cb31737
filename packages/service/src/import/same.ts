import { isDeepStrictEqual } from "node:util";
import { instant } from "../users/instant.ts";

type Json = Readonly<Record<string, unknown>>;

const orNothing = (value: unknown): unknown => (value === "" || value === null ? undefined : value);

/** -> the first member given that differs from the one that is there; undefined: none does. An empty text is as good as none. */
export const differing = (given: Json, present: Json): string | undefined =>
  Object.entries(given).find(([name, value]) => {
    if (value === undefined) return false;
    return !isDeepStrictEqual(orNothing(value), orNothing(present[name]));
  })?.[0];

const CANONICAL = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** A moment as rows and replies have it. */
export const timeOf = (given: string): string => (CANONICAL.test(given) ? given : instant.floor(given));
