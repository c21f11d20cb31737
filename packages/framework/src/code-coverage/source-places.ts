import { eachMapping, TraceMap } from "@jridgewell/trace-mapping";
import type { RunFunction } from "@parley/contract";

/** A place of a bundle that was made of a place in a source. */
export interface SourcePlace {
  /** In the bundle. @units characters */
  readonly offset: number;
  /** From the app's folder, with `/`. */
  readonly path: string;
  /** From 1. */
  readonly line: number;
  /** From 0. */
  readonly column: number;
}

/** Places of a bundle in its order. @shape map: a source map, as JSON text */
export const sourcePlaces = (code: string, map: string): readonly SourcePlace[] => {
  const lineStarts = [0];
  for (let at = code.indexOf("\n"); at !== -1; at = code.indexOf("\n", at + 1)) lineStarts.push(at + 1);
  const places: SourcePlace[] = [];
  eachMapping(new TraceMap(map), ({ generatedLine, generatedColumn, source, originalLine, originalColumn }) => {
    if (source === null) return;
    const offset = (lineStarts[generatedLine - 1] ?? 0) + generatedColumn;
    places.push({ offset, path: source, line: originalLine, column: originalColumn });
  });
  return places.sort((one, other) => one.offset - other.offset);
};

/** What V8 counted at a place; undefined where it counted nothing. Its ranges lie in each other: the innermost counts. */
export const countsAt = (places: readonly SourcePlace[], functions: readonly RunFunction[]): (number | undefined)[] => {
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

/** The first place at an offset or behind it. @returns its index; the number of places where there is none */
export const placeFrom = (places: readonly SourcePlace[], offset: number): number => {
  let [low, high] = [0, places.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((places[middle]?.offset ?? 0) < offset) low = middle + 1;
    else high = middle;
  }
  return low;
};
