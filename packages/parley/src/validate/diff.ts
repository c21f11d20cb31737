/** Unchanged lines that are shown around a change. */
const CONTEXT_LINES = 2;

interface DiffLine {
  readonly sign: " " | "-" | "+";
  readonly text: string;
  /** Of the old and the new text, from 1: where this line stands, or would. */
  readonly before: number;
  readonly after: number;
}

/** Lengths of the longest common subsequences of what follows each pair of lines. */
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

const diffLines = (before: readonly string[], after: readonly string[]): DiffLine[] => {
  const lengths = commonLengths(before, after);
  const lines: DiffLine[] = [];
  let [i, j] = [0, 0];
  while (i < before.length || j < after.length) {
    const place = { before: i + 1, after: j + 1 };
    const [old, fresh] = [before[i], after[j]];
    if (old !== undefined && old === fresh) {
      lines.push({ sign: " ", text: old, ...place });
      i += 1;
      j += 1;
    } else if (old !== undefined && (fresh === undefined || (lengths[i + 1]?.[j] ?? 0) >= (lengths[i]?.[j + 1] ?? 0))) {
      lines.push({ sign: "-", text: old, ...place });
      i += 1;
    } else {
      lines.push({ sign: "+", text: fresh ?? "", ...place });
      j += 1;
    }
  }
  return lines;
};

const hunkLines = (hunk: readonly DiffLine[]): string[] => {
  const [first] = hunk;
  const count = (sign: "-" | "+") => hunk.filter((line) => line.sign === " " || line.sign === sign).length;
  const head = `@@ -${first?.before ?? 1},${count("-")} +${first?.after ?? 1},${count("+")} @@`;
  return [head, ...hunk.map(({ sign, text }) => sign + text)];
};

/** The lines of a unified diff of two texts of a few thousand lines; none where they are equal. */
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
