import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** A code block of a page with the sentence before it. */
export interface TutorialBlock {
  /** Heading of the section. */
  readonly section: string;
  /** The paragraph before the block, in one line. */
  readonly instruction: string;
  /** Language of an edit; empty for commands. */
  readonly language: string;
  readonly text: string;
}

/** The code blocks of a page, in order. */
export const blocksOf = (page: string): TutorialBlock[] => {
  let section = "";
  let paragraph = "";
  const parts = page.split(/^```/m);
  return parts.flatMap((part, index) => {
    if (index % 2 === 1) {
      const [language = "", ...lines] = part.split("\n");
      return [{ section, instruction: paragraph, language, text: lines.join("\n").trimEnd() }];
    }
    section = [...part.matchAll(/^#+ (.+)$/gm)].at(-1)?.[1] ?? section;
    paragraph =
      part
        .trim()
        .split(/\n{2,}/)
        .at(-1)
        ?.replaceAll("\n", " ") ?? "";
    return [];
  });
};

/** The files that a page edits, from the root. */
export const filesOfEdits = (page: string): readonly string[] => [
  ...new Set([...page.matchAll(/^(?:In|At the end of) `([^`]+)`/gm)].map(([, path = ""]) => path)),
];

const indentOf = (line = ""): number => line.search(/\S|$/);

/** -> number of the first line of a declaration or entry with this name, from a line on */
const startOf = (lines: readonly string[], name: string, from = 0): number => {
  const pattern = new RegExp(`^\\s*(?:export )?(?:async )?(?:const )?${name}\\b`);
  const found = lines.findIndex((line, number) => number >= from && pattern.test(line));
  if (found === -1) throw new Error(`There is no '${name}' to edit.`);
  return found;
};

/** -> number of the line after a declaration or entry that begins at a line: the next one that is neither deeper nor closes a bracket at its depth */
const endOf = (lines: readonly string[], start: number): number => {
  const depth = indentOf(lines[start]);
  const end = lines.findIndex(
    (line, number) =>
      number > start &&
      (line === "" || indentOf(line) < depth || (indentOf(line) === depth && !/^\s*[)\]}]/.test(line))),
  );
  return end === -1 ? lines.length : end;
};

/** Replaces imports of modules that the file imports already, and adds others after them. */
const withImports = (lines: readonly string[], text: string): string[] => {
  const edited = [...lines];
  for (const line of text.split("\n")) {
    const [, specifier = ""] = / from "([^"]+)";$/.exec(line) ?? [];
    const isSame = (each: string) => each.startsWith("import ") && each.endsWith(` from "${specifier}";`);
    const at = edited.findIndex(isSame);
    if (at === -1) edited.splice(edited.findLastIndex((each) => each.startsWith("import ")) + 1, 0, line);
    else edited[at] = line;
  }
  return edited;
};

/** -> the lines of a file after an edit @errors Error when the instruction has no known form */
const edited = (lines: readonly string[], instruction: string, text: string): string[] => {
  const [, name = "", within] = / after `(\w+)`(?: in `(\w+)`)?:$/.exec(instruction) ?? [];
  if (name !== "") {
    const start = startOf(lines, name, within === undefined ? 0 : startOf(lines, within));
    const end = endOf(lines, start);
    return [...lines.slice(0, end), text, ...lines.slice(end)];
  }
  const [, replaced = ""] = / replace the first line of `(\w+)`:$/.exec(instruction) ?? [];
  if (replaced !== "") {
    const start = startOf(lines, replaced);
    return [...lines.slice(0, start), text, ...lines.slice(start + 1)];
  }
  if (/^Replace the \w+ imports that exist, and add the \w+:$/.test(instruction)) return withImports(lines, text);
  if (/^At the end of `[^`]+`, add:$/.test(instruction)) return [...lines, text, ""];
  throw new Error(`No known form of an instruction: ${instruction}`);
};

/**
 * Performs the edits of a page in a folder, as their sentences say: "add … after `name`", "… after `name` in `declaration`", "replace the first line
 * of `name`", "Replace the … imports that exist, and add the …", "At the end of `file`, add". A sentence without a file goes on in the last file.
 */
export const createEditor = (folder: string) => {
  let path = "";
  return ({ instruction, text }: Pick<TutorialBlock, "instruction" | "text">): void => {
    path = /^(?:In|At the end of) `([^`]+)`/.exec(instruction)?.[1] ?? path;
    const file = join(folder, path);
    const lines = readFileSync(file, "utf8").split("\n");
    writeFileSync(file, edited(lines, instruction, text).join("\n"));
  };
};
