import { createHash } from "node:crypto";
import Type, { type Static } from "typebox";
import { sourcesIn } from "../project/checks/sources.ts";
import type { RunFunction } from "@parley/contract";
import { countsAt, placeFrom, type SourcePlace } from "./source-places.ts";

/**
 * What ran of one source. Places are `<line>:<column>`; those of functions and branches are among them, where the function's or branch's code
 * begins.
 */
export const FileCoverage = Type.Object({
  /** Of the source's text. */
  sha256: Type.String(),
  /** Whether each place ran. */
  places: Type.Record(Type.String(), Type.Boolean()),
  functions: Type.Array(Type.String()),
  /** Blocks that V8 counted apart from the code around them. */
  branches: Type.Array(Type.String()),
});
export type FileCoverage = Static<typeof FileCoverage>;

/** By path from the app's folder. */
export type Coverage = Record<string, FileCoverage>;

const keyOf = ({ line, column }: SourcePlace): string => `${line}:${column}`;
const union = (one: readonly string[], other: readonly string[]): string[] => [...new Set([...one, ...other])];

/** Both measurements of one source; the later one alone where the source has changed in between. */
const mergedFile = (before: FileCoverage | undefined, later: FileCoverage): FileCoverage => {
  if (before?.sha256 !== later.sha256) return later;
  const places: Record<string, boolean> = { ...before.places };
  for (const [key, ran] of Object.entries(later.places)) places[key] = ran || places[key] === true;
  return {
    sha256: later.sha256,
    places,
    functions: union(before.functions, later.functions),
    branches: union(before.branches, later.branches),
  };
};

export const mergedCoverage = (before: Coverage, later: Coverage): Coverage => ({
  ...before,
  ...Object.fromEntries(Object.entries(later).map(([path, file]) => [path, mergedFile(before[path], file)])),
});

/** The author's own scripts of server/ as they lie now. -> hash of the text, by path */
export const sourceHashes = async (folder: string): Promise<ReadonlyMap<string, string>> => {
  const { own } = await sourcesIn(folder, "server");
  return new Map(own.map(({ file, text }) => [file, createHash("sha256").update(text).digest("hex")]));
};

/**
 * Gathers what the processes of one version of an app report, as V8 counts it.
 * @shape hashes: of the sources that count, by path
 */
export const coverageOf = (places: readonly SourcePlace[], hashes: ReadonlyMap<string, string>) => {
  const own = places.filter(({ path }) => hashes.has(path));
  const ran = own.map(() => false);
  const starts = { functions: new Set<number>(), branches: new Set<number>() };

  return {
    add: (functions: readonly RunFunction[]): void => {
      countsAt(own, functions).forEach((count = 0, index) => {
        if (count > 0) ran[index] = true;
      });
      for (const { ranges, isBlockCoverage } of functions)
        ranges.forEach(({ startOffset, endOffset }, index) => {
          // Of the bundle itself, which is a function too.
          if (startOffset === 0 || (index > 0 && !isBlockCoverage)) return;
          const at = placeFrom(own, startOffset);
          if ((own[at]?.offset ?? Infinity) < endOffset) starts[index === 0 ? "functions" : "branches"].add(at);
        });
    },
    files: (): Coverage => {
      const made = new Map<string, { places: Record<string, boolean>; functions: string[]; branches: string[] }>();
      own.forEach((place, index) => {
        const file = made.get(place.path) ?? { places: {}, functions: [], branches: [] };
        made.set(place.path, file);
        const key = keyOf(place);
        file.places[key] = ran[index] === true || file.places[key] === true;
        if (starts.functions.has(index)) file.functions.push(key);
        if (starts.branches.has(index)) file.branches.push(key);
      });
      return Object.fromEntries(
        [...made].map(([path, file]) => [path, { sha256: hashes.get(path) ?? "", ...file }] as const),
      );
    },
  };
};
