import { isDeepStrictEqual } from "node:util";
import { instant } from "../users/instant.ts";

type Json = Readonly<Record<string, unknown>>;

/** -> the first member given that differs from the one that is there; undefined: none does. An empty text is as good as none. */
export const differing = (given: Json, present: Json): string | undefined =>
  Object.entries(given).find(([name, value]) => {
    if (value === undefined) return false;
    const there = present[name] ?? undefined;
    return !isDeepStrictEqual(value === "" ? undefined : value, there === "" ? undefined : there);
  })?.[0];

const CANONICAL = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** A moment as rows and replies have it. */
export const timeOf = (given: string): string => (CANONICAL.test(given) ? given : instant.floor(given));
