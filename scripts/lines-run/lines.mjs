/** Maps V8's coverage counts of generated code to lines of the sources. */
import { countsAt, sourceMappings } from "../../packages/framework/dist/authoring.js";

const gathered = (places) => {
  const lines = new Map();
  for (const { path, line } of places) {
    if (!lines.has(path)) lines.set(path, new Set());
    lines.get(path).add(line);
  }
  return lines;
};

/**
 * Generated code with its positions in the sources.
 * @param map a source map, as JSON text
 * @param nameOf the path of a source, from its name in the map
 */
export function mapped(code, map, nameOf) {
  const places = sourceMappings(code, map).map((place) => ({ ...place, path: nameOf(place.path) }));
  return { places, lines: () => gathered(places) };
}

/** Executed lines, by path. */
export function linesRun({ places }, functions) {
  const counts = countsAt(places, functions);
  return gathered(places.filter((_place, index) => (counts[index] ?? 0) > 0));
}
