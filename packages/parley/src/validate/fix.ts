import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline/promises";
import { styleText } from "node:util";
import { applyFixes as fixedFiles, type Finding, type FixedFile } from "@parley/framework/authoring";
import { CommandFailure } from "../environment/failure.ts";
import { printable } from "../output/table.ts";
import { unifiedDiff } from "./diff.ts";

const COLORS = { "-": "red", "+": "green", "@": "cyan" } as const;

const coloured = (line: string): string => {
  const color = Object.entries(COLORS).find(([sign]) => line.startsWith(sign))?.[1];
  return color ? styleText(color, printable(line)) : printable(line);
};

/** Asks a question; the end of the input counts as no. */
async function isConfirmed(question: string): Promise<boolean> {
  const lines = createInterface({ input: process.stdin, output: process.stdout });
  const ended = new Promise<string>((resolve) => lines.once("close", () => resolve("")));
  const answer = await Promise.race([lines.question(question), ended]);
  lines.close();
  return /^y(es)?$/i.test(answer.trim());
}

/** @errors CommandFailure when the file has changed since it was shown, or can't be written */
async function write(folder: string, { file, before, after }: FixedFile): Promise<void> {
  const path = join(folder, file);
  if ((await readFile(path, "utf8").catch(() => undefined)) !== before)
    throw new CommandFailure(`${file} was changed in the meantime and was not written. Run 'parley validate' again.`);
  try {
    await writeFile(path, after);
  } catch (error) {
    const { code = "error" } = error as NodeJS.ErrnoException;
    throw new CommandFailure(`${file} can't be written (${code}). Make it writable, then run 'parley validate' again.`);
  }
}

/**
 * Shows the changes that fix the findings, asks for confirmation and writes them.
 * @returns whether files were written
 */
export async function applyFixesInteractively(
  folder: string,
  findings: readonly Finding[],
  isAgreed: boolean,
  print: (text: string) => void,
): Promise<boolean> {
  const files = await fixedFiles(folder, findings);
  if (files.length === 0) return false;
  for (const { file, before, after } of files) print(unifiedDiff(file, before, after).map(coloured).join("\n"));
  if (!isAgreed && !(await isConfirmed("Write these changes? [y/N] "))) {
    print("\nNothing was written.\n");
    return false;
  }
  for (const file of files) await write(folder, file);
  print(`Fixed ${files.map(({ file }) => file).join(", ")}.\n`);
  return true;
}
