import { existsSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";

/** Limits of the help's width; `default` applies when the output is not a terminal. @units columns */
const HELP_COLUMNS = { default: 80, min: 40, max: 100 };
/** Notes that would start right of this column are printed on their own lines. @units columns */
const NOTE_COLUMN = 42;
/** Additional indentation of a note that is printed below its line. */
const NOTE_INDENT = "    ";

/** Width of the printed help. @shape columns: width of the terminal, undefined when the output is not a terminal @units columns */
export const helpWidth = (columns: number | undefined): number =>
  Math.min(Math.max(columns ?? HELP_COLUMNS.default, HELP_COLUMNS.min), HELP_COLUMNS.max);

/** Line continuation of the shell, so that a wrapped example can be copied. */
const LINE_CONTINUATION = " \\";

/** Breaks a text at spaces into lines of at most `width` columns, each with the indentation. */
const wrapped = (text: string, indent: string, width: number): string[] => {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= width) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(indent + word);
  }
  return lines;
};

/** A line of the form `  head   note`, such as an example and its explanation. */
const ROW = /^( +)(\S.*?)( {2,})(\S.*)$/;

const row = (line: string, width: number): string[] => {
  if (line.length <= width) return [line];
  const [, indent = "", head = "", gap = "", note = ""] = ROW.exec(line) ?? [];
  if (head === "") {
    const [, before = "", text = ""] = /^( *)(.*)$/.exec(line) ?? [];
    const lines = wrapped(text, before + NOTE_INDENT, width - LINE_CONTINUATION.length);
    return lines.map(
      (each, index) =>
        (index === 0 ? before + each.trimStart() : each) + (index < lines.length - 1 ? LINE_CONTINUATION : ""),
    );
  }
  const start = indent + head + gap;
  const longest = Math.max(...note.split(" ").map((word) => word.length));
  if (start.length > NOTE_COLUMN || start.length + longest > width)
    return [indent + head, ...wrapped(note, indent + NOTE_INDENT, width)];
  const [first = "", ...rest] = wrapped(note, " ".repeat(start.length), width);
  return [start + first.trimStart(), ...rest];
};

/** Fits a help text to the width of the terminal: paragraphs are reflowed, notes are wrapped beside or below their head. */
export const fitToWidth = (text: string, width: number): string => {
  const lines: string[] = [];
  let paragraph: string[] = [];
  const flow = () => {
    if (paragraph.length > 0) lines.push(...wrapped(paragraph.join(" "), "", width));
    paragraph = [];
  };
  for (const line of text.split("\n")) {
    if (/^\S/.test(line)) {
      paragraph.push(line);
      continue;
    }
    flow();
    lines.push(...row(line, width));
  }
  flow();
  return lines.join("\n");
};

/** The folder of the documentation, from the source and from the bundle, in the repository and in an installed package. */
const documentationFolder = (): string | undefined =>
  ["../../../docs/", "../../../../docs/"]
    .map((path) => fileURLToPath(new URL(path, import.meta.url)))
    .find((path) => existsSync(path));

const DOCUMENTATION_PATH = /(?<![\w/.-])docs\/(?=[\w-]+\/[\w-]+\.\w+)/g;

/** The path from the current folder, or the absolute one if that is shorter. */
const shortestPath = (path: string): string => {
  const fromHere = relative(process.cwd(), path);
  return fromHere.length <= path.length ? fromHere : path;
};

/** Help texts name pages as `docs/…`. Replaces that by a path that leads there, so that the page can be opened. */
export const withDocumentationPaths = (text: string): string => {
  const folder = documentationFolder();
  return folder === undefined ? text : text.replace(DOCUMENTATION_PATH, join(shortestPath(folder), "/"));
};
