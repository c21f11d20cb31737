import { SourceMap } from "node:module";

/** Writes the places of a text, such as a stack, as those of the app's own files. */
export type Trace = (text: string) => string;

/** As the child names the app's code. */
const PLACE = /\bserver\.js:(\d+):(\d+)/g;
/** Lines of a stack that belong to the child's own program and to Node. */
const OURS = /\n\s+at (?:.*\()?(?:\[stdin\]|\[eval\]|node:)[^\n]*/g;

/** An error with members is printed with a brace at the end of its stack. */
const membersFollow = (line: string): string => (line.endsWith(" {") ? " {" : "");

/** @shape a source map, as JSON text */
export const tracer = (map: string | undefined): Trace => {
  if (map === undefined) return (text) => text;
  // Read when the first error comes: most processes have none.
  let read: SourceMap | undefined;
  return (text) =>
    text.replace(OURS, membersFollow).replace(PLACE, (place, line: string, column: string) => {
      read ??= new SourceMap(JSON.parse(map) as ConstructorParameters<typeof SourceMap>[0]);
      const entry = read.findEntry(Number(line) - 1, Number(column) - 1);
      if (!("originalSource" in entry)) return place;
      return `${entry.originalSource}:${entry.originalLine + 1}:${entry.originalColumn + 1}`;
    });
};
