/** Where no terminal says it, and the widest that is read with ease. @units columns */
const COLUMNS = { usual: 80, least: 40, most: 100 };
/** A note that begins further right has no room. */
const NOTE_COLUMN = 42;
/** What a note below its line is set in by. */
const DEEPER = "    ";

/** How wide help is printed. @shape columns: of the terminal; undefined for none @units columns */
export const helpWidth = (columns: number | undefined): number =>
  Math.min(Math.max(columns ?? COLUMNS.usual, COLUMNS.least), COLUMNS.most);

/** A long command can be copied as it stands. */
const BREAK = " \\";

/** Lines that fit, broken at spaces; each begins with the indentation. */
const wrapped = (text: string, indent: string, width: number): string[] => {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= width) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(indent + word);
  }
  return lines;
};

/** `  head   note`: what an example is, and what it does. */
const ROW = /^( +)(\S.*?)( {2,})(\S.*)$/;

const row = (line: string, width: number): string[] => {
  if (line.length <= width) return [line];
  const [, indent = "", head = "", gap = "", note = ""] = ROW.exec(line) ?? [];
  if (head === "") {
    const [, before = "", text = ""] = /^( *)(.*)$/.exec(line) ?? [];
    const lines = wrapped(text, before + DEEPER, width - BREAK.length);
    return lines.map(
      (each, index) => (index === 0 ? before + each.trimStart() : each) + (index < lines.length - 1 ? BREAK : ""),
    );
  }
  const start = indent + head + gap;
  const longest = Math.max(...note.split(" ").map((word) => word.length));
  if (start.length > NOTE_COLUMN || start.length + longest > width)
    return [indent + head, ...wrapped(note, indent + DEEPER, width)];
  const [first = "", ...rest] = wrapped(note, " ".repeat(start.length), width);
  return [start + first.trimStart(), ...rest];
};

/** Help as it is written, so that no line of it is longer than the terminal: paragraphs flow, notes hang beside or below. */
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
