import { eachMapping, TraceMap } from "@jridgewell/trace-mapping";
import type { RunFunction } from "@parley/contract";
import { createHash } from "node:crypto";
import Type, { type Static } from "typebox";
import { readAppSources } from "../validate/sources.ts";

/** A mapping from an offset in a bundle to a position in a source file. */
export interface SourceMapping {
  /** Offset in the bundle. @units characters */
  readonly offset: number;
  /** Path from the app's folder, with `/`. */
  readonly path: string;
  /** From 1. */
  readonly line: number;
  /** From 0. */
  readonly column: number;
}

/** Mappings of a bundle, sorted by offset. @shape map: a source map, as JSON text */
export const sourceMappings = (code: string, map: string): readonly SourceMapping[] => {
  const lineStarts = [0];
  for (let at = code.indexOf("\n"); at !== -1; at = code.indexOf("\n", at + 1)) lineStarts.push(at + 1);
  const places: SourceMapping[] = [];
  eachMapping(new TraceMap(map), ({ generatedLine, generatedColumn, source, originalLine, originalColumn }) => {
    if (source === null) return;
    const offset = (lineStarts[generatedLine - 1] ?? 0) + generatedColumn;
    places.push({ offset, path: source, line: originalLine, column: originalColumn });
  });
  return places.sort((one, other) => one.offset - other.offset);
};

/** V8's count at each mapping, or undefined without a count. V8's ranges are nested; the innermost one applies. */
export const countsAt = (
  places: readonly SourceMapping[],
  functions: readonly RunFunction[],
): (number | undefined)[] => {
  const ranges = functions
    .flatMap((one) => one.ranges)
    .sort((one, other) => one.startOffset - other.startOffset || other.endOffset - one.endOffset);
  const open: (typeof ranges)[number][] = [];
  let next = 0;
  return places.map(({ offset }) => {
    for (let range = ranges[next]; range && range.startOffset <= offset; range = ranges[next]) {
      open.push(range);
      next += 1;
    }
    while ((open.at(-1)?.endOffset ?? Infinity) <= offset) open.pop();
    return open.at(-1)?.count;
  });
};

/** @returns the index of the first mapping at or after an offset; the number of mappings without such a mapping */
const firstMappingAt = (places: readonly SourceMapping[], offset: number): number => {
  let [low, high] = [0, places.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((places[middle]?.offset ?? 0) < offset) low = middle + 1;
    else high = middle;
  }
  return low;
};

/** Coverage of one source file. A place is `<line>:<column>`. Functions and branches are identified by the place at which their code begins. */
export const FileCoverage = Type.Object({
  /** Hash of the source's text. */
  sha256: Type.String(),
  /** Whether the code at each place ran. */
  places: Type.Record(Type.String(), Type.Boolean()),
  functions: Type.Array(Type.String()),
  /** Blocks that V8 counted separately from the surrounding code. */
  branches: Type.Array(Type.String()),
});
export type FileCoverage = Static<typeof FileCoverage>;

/** By path from the app's folder. */
export type CoverageByFile = Record<string, FileCoverage>;

const keyOf = ({ line, column }: SourceMapping): string => `${line}:${column}`;
const union = (one: readonly string[], other: readonly string[]): string[] => [...new Set([...one, ...other])];

/** Merges two measurements of one source. If the source has changed, only the later measurement is kept. */
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

export const mergedCoverage = (before: CoverageByFile, later: CoverageByFile): CoverageByFile => ({
  ...before,
  ...Object.fromEntries(Object.entries(later).map(([path, file]) => [path, mergedFile(before[path], file)])),
});

/** Hashes of the author's scripts in server/. -> hash of the text, by path */
export const sourceHashes = async (folder: string): Promise<ReadonlyMap<string, string>> => {
  const { own } = await readAppSources(folder, "server");
  return new Map(own.map(({ file, text }) => [file, createHash("sha256").update(text).digest("hex")]));
};

/**
 * Accumulates the V8 coverage reports of the processes of one version of an app.
 * @shape hashes: of the measured sources, by path
 */
export const coverageOf = (places: readonly SourceMapping[], hashes: ReadonlyMap<string, string>) => {
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
          // Skips the function of the bundle itself.
          if (startOffset === 0 || (index > 0 && !isBlockCoverage)) return;
          const at = firstMappingAt(own, startOffset);
          if ((own[at]?.offset ?? Infinity) < endOffset) starts[index === 0 ? "functions" : "branches"].add(at);
        });
    },
    files: (): CoverageByFile => {
      const coverageByFile = new Map<
        string,
        { places: Record<string, boolean>; functions: string[]; branches: string[] }
      >();
      own.forEach((place, index) => {
        const file = coverageByFile.get(place.path) ?? { places: {}, functions: [], branches: [] };
        coverageByFile.set(place.path, file);
        const key = keyOf(place);
        file.places[key] = ran[index] === true || file.places[key] === true;
        if (starts.functions.has(index)) file.functions.push(key);
        if (starts.branches.has(index)) file.branches.push(key);
      });
      return Object.fromEntries(
        [...coverageByFile].map(([path, file]) => [path, { sha256: hashes.get(path) ?? "", ...file }] as const),
      );
    },
  };
};
