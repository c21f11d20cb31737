/** Number of unchanged lines that are shown around a change. */
const CONTEXT_LINES = 2;

/** Limit of the comparison table. Larger differences are shown as one replaced block, because comparing each pair of lines would take too much memory. */
const PAIRS_MAX = 16_000_000;

type Sign = " " | "-" | "+";

interface DiffLine {
  readonly sign: Sign;
  readonly text: string;
  /** Line numbers in the old and the new text, from 1; for a missing line, its position. */
  readonly before: number;
  readonly after: number;
}

/** Number of equal lines at the start of two texts. */
const commonStart = (before: readonly string[], after: readonly string[]): number => {
  const differs = before.findIndex((line, index) => line !== after[index]);
  return differs < 0 ? before.length : differs;
};

/** Length of the longest common subsequence of the lines from each pair of positions on. */
const commonLengths = (before: readonly string[], after: readonly string[]): Uint32Array[] => {
  const rows = Array.from({ length: before.length + 1 }, () => new Uint32Array(after.length + 1));
  for (let i = before.length - 1; i >= 0; i -= 1)
    for (let j = after.length - 1; j >= 0; j -= 1) {
      const row = rows[i];
      if (row)
        row[j] =
          before[i] === after[j] ? (rows[i + 1]?.[j + 1] ?? 0) + 1 : Math.max(rows[i + 1]?.[j] ?? 0, row[j + 1] ?? 0);
    }
  return rows;
};

/** Sign of each line of the diff, for texts that differ in their first and last line. */
const changeSigns = (before: readonly string[], after: readonly string[]): Sign[] => {
  if (before.length * after.length > PAIRS_MAX) return [...before.map((): Sign => "-"), ...after.map((): Sign => "+")];
  const lengths = commonLengths(before, after);
  const signs: Sign[] = [];
  let [i, j] = [0, 0];
  while (i < before.length || j < after.length) {
    const isSame = i < before.length && before[i] === after[j];
    const isRemoved =
      i < before.length && (j === after.length || (lengths[i + 1]?.[j] ?? 0) >= (lengths[i]?.[j + 1] ?? 0));
    const sign = isSame ? " " : isRemoved ? "-" : "+";
    if (sign !== "+") i += 1;
    if (sign !== "-") j += 1;
    signs.push(sign);
  }
  return signs;
};

const diffLines = (before: readonly string[], after: readonly string[]): DiffLine[] => {
  const start = commonStart(before, after);
  const [oldRest, newRest] = [before.slice(start), after.slice(start)];
  const end = commonStart([...oldRest].reverse(), [...newRest].reverse());
  const same = (length: number) => Array.from({ length }, (): Sign => " ");
  const middle = changeSigns(oldRest.slice(0, oldRest.length - end), newRest.slice(0, newRest.length - end));
  let [i, j] = [0, 0];
  return [...same(start), ...middle, ...same(end)].map((sign) => {
    const line = { sign, text: (sign === "+" ? after[j] : before[i]) ?? "", before: i + 1, after: j + 1 };
    if (sign !== "+") i += 1;
    if (sign !== "-") j += 1;
    return line;
  });
};

const hunkLines = (hunk: readonly DiffLine[]): string[] => {
  const [first] = hunk;
  const count = (sign: "-" | "+") => hunk.filter((line) => line.sign === " " || line.sign === sign).length;
  const head = `@@ -${first?.before ?? 1},${count("-")} +${first?.after ?? 1},${count("+")} @@`;
  return [head, ...hunk.map(({ sign, text }) => sign + text)];
};

/** Unified diff of two texts of up to a few thousand lines; empty when they are equal. */
export const unifiedDiff = (file: string, before: string, after: string): string[] => {
  const lines = diffLines(before.split("\n"), after.split("\n"));
  const changed = lines.flatMap(({ sign }, index) => (sign === " " ? [] : [index]));
  if (changed.length === 0) return [];
  const isShown = new Set(
    changed.flatMap((index) =>
      Array.from({ length: 2 * CONTEXT_LINES + 1 }, (_, offset) => index - CONTEXT_LINES + offset),
    ),
  );
  const hunks: DiffLine[][] = [];
  for (const [index, line] of lines.entries()) {
    if (!isShown.has(index)) continue;
    if (isShown.has(index - 1) && index > 0) hunks.at(-1)?.push(line);
    else hunks.push([line]);
  }
  return [`--- a/${file}`, `+++ b/${file}`, ...hunks.flatMap(hunkLines)];
};
