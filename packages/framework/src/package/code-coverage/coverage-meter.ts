import type { RunFunction } from "@parley/contract";
import { failureText, type Log } from "@parley/telemetry";
import type { Project } from "../../model/project.ts";
import {
  coverageOf,
  mergedCoverage,
  sourceHashes,
  type CoverageByFile,
  sourceMappings,
  FileCoverage,
} from "./file-coverage.ts";
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import Type from "typebox";
import type { Static } from "typebox";
import { Compile } from "typebox/compile";

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
const readCoverageFile = async (folder: string): Promise<CoverageFile | undefined> => {
  try {
    const value: unknown = JSON.parse(await readFile(pathIn(folder), "utf8"));
    return isCoverageFile.Check(value) ? value : undefined;
  } catch {
    return undefined;
  }
};

/** Replaces the file atomically. */
const writeCoverageFile = async (folder: string, coverage: CoverageFile): Promise<void> => {
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

type MeasuredApp = Pick<Project, "serverCode" | "serverMap" | "version">;

/** Collects the coverage reports of an app's processes and stores them in the app's folder. Processes report numbers only; the host writes the file. */
export interface CoverageMeter {
  /** Registers a process. -> callback for its reports */
  begin(app: MeasuredApp): (functions: readonly RunFunction[]) => void;
  /** Resolves when all reports are stored. */
  written(): Promise<void>;
}

interface CoverageMeterDeps {
  readonly folder: string;
  readonly now: () => Date;
  readonly log: Log;
}

/** Delay before the file is written, which coalesces a burst of reports. @units milliseconds */
const WRITE_DELAY_MS = 500;

interface Gathered extends ReturnType<typeof coverageOf> {
  /** Hashes of the sources of this version of the app, by path. */
  readonly sources: ReadonlyMap<string, string>;
}

export const coverageMeter = ({ folder, now, log }: CoverageMeterDeps): CoverageMeter => {
  /** Coverage of earlier runs and earlier versions of the app. */
  let earlierCoverage: Promise<CoverageByFile> | undefined;
  let current: { readonly version: string; readonly gathered: Promise<Gathered> } | undefined;
  let reports: Promise<unknown> = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;
  let isDue = false;

  const gather = async ({ serverCode, serverMap }: MeasuredApp): Promise<Gathered> => {
    const sources = await sourceHashes(folder);
    return { sources, ...coverageOf(serverMap === undefined ? [] : sourceMappings(serverCode, serverMap), sources) };
  };

  const versionOf = (app: MeasuredApp) => {
    if (current?.version === app.version) return current;
    const before = current;
    const earlier = earlierCoverage ?? readCoverageFile(folder).then((file) => file?.files ?? {});
    earlierCoverage = before
      ? Promise.all([earlier, before.gathered]).then(([all, { files }]) => mergedCoverage(all, files()))
      : earlier;
    return (current = { version: app.version, gathered: gather(app) });
  };

  const write = async (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    await reports;
    if (!isDue || !current) return;
    isDue = false;
    const [earlier, { files, sources }] = await Promise.all([earlierCoverage, current.gathered]);
    const all = Object.entries(mergedCoverage(earlier ?? {}, files()));
    await writeCoverageFile(folder, {
      version: 1,
      measured: now().toISOString(),
      sources: Object.fromEntries(sources),
      files: Object.fromEntries(all.filter(([path]) => sources.has(path))),
    });
  };
  let writing: Promise<void> = Promise.resolve();
  const writeNext = (): Promise<void> =>
    (writing = writing.then(write).catch((error: unknown) => {
      log(`The code coverage could not be stored: ${failureText(error)}`, { level: "error" });
    }));

  return {
    begin(app) {
      const measured = versionOf(app);
      return (functions) => {
        // Reports for an earlier version are ignored; its coverage is already part of `earlierCoverage`.
        if (measured !== current) return;
        reports = Promise.all([reports, measured.gathered]).then(([, gathered]) => gathered.add(functions));
        isDue = true;
        timer ??= setTimeout(() => void writeNext(), WRITE_DELAY_MS).unref();
      };
    },
    written: writeNext,
  };
};
