import { SourceMap } from "node:module";

/** Translates the positions in a text, such as a stack, into those of the app's own files. */
export type TranslateStack = (text: string) => string;

/** A position as the child names the app's code. */
const APP_CODE_POSITION = /\bserver\.js:(\d{1,9}):(\d{1,9})/g;
/** File names of the child's own program and of Node in the lines of a stack. */
const HOST_FILE_NAMES = ["[stdin]", "[eval]", "node:"];
/** A longer text is cut: an app may log any amount, and the log shows no more of it. @units characters */
const TEXT_CHARACTERS_MAX = 100_000;

const isOwnLine = (line: string): boolean => {
  const text = line.trimStart();
  if (text === line || !text.startsWith("at ")) return false;
  return HOST_FILE_NAMES.some((place) => text.startsWith(place, "at ".length) || text.includes(`(${place}`));
};

/** An error with members is printed with a brace at the end of its stack. */
const membersFollow = (line: string): string => (line.endsWith(" {") ? " {" : "");

/** Removes the stack lines of the child's own program and of Node. */
const withoutOwnLines = (text: string): string => {
  const [first = "", ...lines] = text.split("\n");
  return first + lines.map((line) => (isOwnLine(line) ? membersFollow(line) : `\n${line}`)).join("");
};

const cut = (text: string): string =>
  text.length > TEXT_CHARACTERS_MAX
    ? `${text.slice(0, TEXT_CHARACTERS_MAX)}\n… ${text.length - TEXT_CHARACTERS_MAX} more characters`
    : text;

/** Takes time linear in the length of the text. @shape map: a source map as JSON text */
export const createStackTracer = (map: string | undefined): TranslateStack => {
  if (map === undefined) return cut;
  // Parsed at the first error, because most processes have no errors.
  let read: SourceMap | undefined;
  return (text) =>
    withoutOwnLines(cut(text)).replace(APP_CODE_POSITION, (place, line: string, column: string) => {
      read ??= new SourceMap(JSON.parse(map) as ConstructorParameters<typeof SourceMap>[0]);
      const entry = read.findEntry(Number(line) - 1, Number(column) - 1);
      if (!("originalSource" in entry)) return place;
      return `${entry.originalSource}:${entry.originalLine + 1}:${entry.originalColumn + 1}`;
    });
};
