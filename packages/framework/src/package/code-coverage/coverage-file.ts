import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import Type, { type Static } from "typebox";
import { Compile } from "typebox/compile";
import { FileCoverage, sourceHashes } from "./file-coverage.ts";

/** Content of the coverage file, which `parley run --coverage` writes into the app's folder. */
const CoverageFile = Type.Object({
  version: Type.Literal(1),
  /** Time of the last measurement. @units ISO 8601 */
  measured: Type.String(),
  /** Hashes of all sources at that time, by path. */
  sources: Type.Record(Type.String(), Type.String()),
  files: Type.Record(Type.String(), FileCoverage),
});
type CoverageFile = Static<typeof CoverageFile>;

const isCoverageFile = Compile(CoverageFile);
const pathIn = (folder: string): string => join(folder, ".parley", "coverage.json");

/** -> undefined if nothing was measured yet, or if the file has an unknown format */
export const readCoverageFile = async (folder: string): Promise<CoverageFile | undefined> => {
  try {
    const value: unknown = JSON.parse(await readFile(pathIn(folder), "utf8"));
    return isCoverageFile.Check(value) ? value : undefined;
  } catch {
    return undefined;
  }
};

/** Replaces the file atomically. */
export const writeCoverageFile = async (folder: string, coverage: CoverageFile): Promise<void> => {
  const path = pathIn(folder);
  await mkdir(dirname(path), { recursive: true });
  // The folder is excluded from version control, as the data folder is.
  await writeFile(join(dirname(path), ".gitignore"), "*\n");
  await writeFile(`${path}.new`, JSON.stringify(coverage));
  await rename(`${path}.new`, path);
};

export interface CoverageCount {
  readonly covered: number;
  readonly total: number;
}

export interface CoverageSummary {
  readonly lines: CoverageCount;
  readonly functions: CoverageCount;
  readonly branches: CoverageCount;
}

export interface CoverageReport {
  /** @units ISO 8601 */
  readonly measured: string;
  /** Sorted by path. */
  readonly files: readonly (CoverageSummary & { readonly path: string })[];
  readonly total: CoverageSummary;
  /** Sources that were changed, added or deleted since the measurement. */
  readonly outdated: readonly string[];
}

const countOf = (all: readonly boolean[]): CoverageCount => ({
  covered: all.filter(Boolean).length,
  total: all.length,
});

const summaryOf = ({ places, functions, branches }: FileCoverage): CoverageSummary => {
  const lines = new Map<string, boolean>();
  for (const [key, ran] of Object.entries(places)) {
    const [line = ""] = key.split(":");
    lines.set(line, ran || lines.get(line) === true);
  }
  const ranAt = (key: string) => places[key] === true;
  return {
    lines: countOf([...lines.values()]),
    functions: countOf(functions.map(ranAt)),
    branches: countOf(branches.map(ranAt)),
  };
};

const sum = (counts: readonly CoverageCount[]): CoverageCount => ({
  covered: counts.reduce((all, { covered }) => all + covered, 0),
  total: counts.reduce((all, { total }) => all + total, 0),
});

/** Coverage of the app's server/, as measured by `parley run --coverage`. @returns undefined if it was not measured */
export async function coverageReport(folder: string): Promise<CoverageReport | undefined> {
  const stored = await readCoverageFile(folder);
  if (!stored) return undefined;
  const now = await sourceHashes(folder);
  const files = Object.entries(stored.files)
    .filter(([path]) => now.has(path))
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([path, file]) => ({ path, ...summaryOf(file) }));
  const paths = new Set([...now.keys(), ...Object.keys(stored.sources)]);
  return {
    measured: stored.measured,
    files,
    total: {
      lines: sum(files.map(({ lines }) => lines)),
      functions: sum(files.map(({ functions }) => functions)),
      branches: sum(files.map(({ branches }) => branches)),
    },
    outdated: [...paths].filter((path) => now.get(path) !== stored.sources[path]).sort(),
  };
}
