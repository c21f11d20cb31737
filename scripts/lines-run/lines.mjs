/** From what V8 counts in a text to the lines of the sources that it was made of. */
import { eachMapping, TraceMap } from "@jridgewell/trace-mapping";

/**
 * A made text with its places in the sources.
 * @param nameOf the path of a source, from its name in the map
 */
export function mapped(code, map, nameOf) {
  const starts = [0];
  for (let at = code.indexOf("\n"); at !== -1; at = code.indexOf("\n", at + 1)) starts.push(at + 1);
  const places = [];
  eachMapping(new TraceMap(map), ({ generatedLine, generatedColumn, source, originalLine }) => {
    if (source === null) return;
    places.push({ offset: starts[generatedLine - 1] + generatedColumn, path: nameOf(source), line: originalLine });
  });
  places.sort((one, other) => one.offset - other.offset);
  const gathered = (some) => {
    const lines = new Map();
    for (const { path, line } of some) {
      if (!lines.has(path)) lines.set(path, new Set());
      lines.get(path).add(line);
    }
    return lines;
  };
  return { places, gathered, lines: () => gathered(places) };
}

/** Lines by path that have run. Ranges of V8 lie in each other: the innermost counts. */
export function linesRun({ places, gathered }, functions) {
  const ranges = functions
    .flatMap((one) => one.ranges)
    .sort((one, other) => one.startOffset - other.startOffset || other.endOffset - one.endOffset);
  const open = [];
  let next = 0;
  return gathered(
    places.filter(({ offset }) => {
      while (next < ranges.length && ranges[next].startOffset <= offset) open.push(ranges[next++]);
      while (open.length > 0 && open.at(-1).endOffset <= offset) open.pop();
      return (open.at(-1)?.count ?? 0) > 0;
    }),
  );
}
