import type { RunFunction } from "@parley/contract";
import type { Project } from "../model/project.ts";
import { readCoverageFile, writeCoverageFile } from "./coverage-file.ts";
import { coverageOf, mergedCoverage, sourceHashes, type CoverageByFile, sourceMappings } from "./file-coverage.ts";

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
  readonly log: (line: string) => void;
}

/** Delay before the file is written, which coalesces a burst of reports. @units milliseconds */
const writeDelayMs = 500;

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
      log(`error: The code coverage could not be stored: ${String(error)}`);
    }));

  return {
    begin(app) {
      const measured = versionOf(app);
      return (functions) => {
        // Reports for an earlier version are ignored; its coverage is already part of `earlierCoverage`.
        if (measured !== current) return;
        reports = Promise.all([reports, measured.gathered]).then(([, gathered]) => gathered.add(functions));
        isDue = true;
        timer ??= setTimeout(() => void writeNext(), writeDelayMs).unref();
      };
    },
    written: writeNext,
  };
};
