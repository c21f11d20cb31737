import { isRefusal, type ImportProgress } from "@parley/contract";
import { SERVICE_SCHEMA, SERVICE_MIGRATIONS } from "../../../base/db/migrations.ts";
import { KEYED_PLANS } from "../../../base/db/pools.ts";
import { firstLineOfPiece, lastLineOf, readPieces, type ImportPiece } from "./batch.ts";
import { createImportPipeline, type PipelineBacklog, type PipelineStep } from "./pipeline.ts";
import { createCheckTables } from "./constraint-check.sql.ts";
import type { ImportOptions, ImportRun } from "./import-run.ts";
import { createImportSettings } from "./import-settings.ts";
import { NO_IMPORT_COUNTS } from "./write-plan.sql.ts";
import { migrate } from "@parley/database";
import { serviceConfig } from "../../configuration/config.ts";
import { openExportLines, type ExportOptions } from "../export/export-lines.ts";
import { COMMAND_ACTOR } from "../../../identity/audit/record.sql.ts";
import { hostRules } from "../../../identity/edge/host.ts";
import { realPorts } from "../../../base/environment/ports.ts";

/** Refused lines after which a dry run ends. */
const DRY_RUN_PROBLEMS_MAX = 100;

// The settings of the connections for frequent statements.
const CONNECTION_SETTINGS = Object.entries(KEYED_PLANS)
  .map(([name, value]) => `set ${name} = ${value}`)
  .join(";");

/** Turns a refusal into a step with one problem. @errors every other error */
const problemStep =
  (piece: ImportPiece) =>
  (error: unknown): PipelineStep => {
    if (!isRefusal(error)) throw error;
    return { counts: NO_IMPORT_COUNTS, problems: [{ line: firstLineOfPiece(piece), refusal: error }] };
  };

/** Reports the results of pieces in file order, and keeps the progress. */
const createProgressReporter = ({ dryRun, signal, progress = () => undefined }: ImportRun) => {
  const state: { -readonly [K in keyof ImportProgress]: ImportProgress[K] } = {
    line: 0,
    done: false,
    ...NO_IMPORT_COUNTS,
    refused: 0,
  };
  return {
    state,
    /** A step of undefined was never started. -> whether the import continues */
    report: (piece: ImportPiece, step: PipelineStep | undefined): boolean => {
      if (!step) return false;
      const { counts, problems } = step;
      for (const name of ["created", "updated", "unchanged"] as const) state[name] += counts[name];
      if (counts.skipped) state.skipped = (state.skipped ?? 0) + counts.skipped;
      const [first] = problems;
      state.line = first && !dryRun ? first.line - 1 : lastLineOf(piece);
      state.refused += problems.length;
      for (const { line, refusal } of problems) {
        const { code, status } = refusal.problem;
        progress({ ...state, problem: { line, code, status, message: refusal.message } });
      }
      if (!first) progress({ ...state });
      return !signal?.aborted && (!first || (dryRun && state.refused < DRY_RUN_PROBLEMS_MAX));
    },
  };
};

/**
 * Imports all pieces in a pipeline of three stages: one batch is written, the next looks up existing rows, a third is read. -> whether
 * the end of the file was reached
 */
const importPieces = async (
  run: ImportRun,
  { report }: ReturnType<typeof createProgressReporter>,
): Promise<boolean> => {
  const [settings, batches] = [createImportSettings(run), createImportPipeline(run)];
  const alreadySent = Promise.resolve(true);
  let last: PipelineBacklog = { sent: alreadySent, reported: Promise.resolve({ isContinuing: true }) };
  let isEnded = false;

  const stepOf = async (piece: Exclude<ImportPiece, { kind: "batch" }>): Promise<PipelineStep> =>
    piece.kind === "problem"
      ? { counts: NO_IMPORT_COUNTS, problems: [piece.problem] }
      : { counts: await settings.importRecord(piece.record.record), problems: [] };

  /** -> undefined: the import has ended */
  const begin = async (piece: ImportPiece): Promise<PipelineBacklog | undefined> => {
    if (piece.kind === "batch") {
      settings.countRecords(piece.records);
      const directory = await settings.currentDirectory().catch(problemStep(piece));
      if (!("problems" in directory)) {
        const { sent, step } = batches.begin(directory, piece.batch, last);
        const reported = step.catch(problemStep(piece)).then((done) => {
          isEnded ||= !report(piece, done);
          return { isContinuing: !isEnded, isReplanned: done?.isReplanned };
        });
        reported.catch(() => undefined);
        return { sent, reported };
      }
      if (!(await last.reported).isContinuing) return undefined;
      return { sent: alreadySent, reported: Promise.resolve({ isContinuing: report(piece, directory) }) };
    }
    // Waits for the pieces before: later records refer to this piece, and an earlier piece may end the import.
    if (!(await last.reported).isContinuing) return undefined;
    return {
      sent: alreadySent,
      reported: Promise.resolve({ isContinuing: report(piece, await stepOf(piece).catch(problemStep(piece))) }),
    };
  };

  try {
    for await (const piece of readPieces(run.source)) {
      const before = last;
      const next = await begin(piece);
      if (!next) break;
      last = next;
      if (!(await before.sent) || isEnded) break;
    }
  } finally {
    await last.reported.catch(() => undefined);
  }
  const { isContinuing } = await last.reported;
  await batches.finish();
  return isContinuing;
};

/**
 * Imports records batch by batch. Each batch is committed before its progress is reported. The import ends at the first refused line,
 * with all records before it committed; a dry run continues to the end and writes nothing. Existing records with the same content stay
 * unchanged, so that an interrupted import is resumed by a second run.
 * @assumed Imported records cause no events and count in no metric. Messages have the order of the lines in their conversation.
 */
export async function importRecords(options: ImportOptions): Promise<ImportProgress> {
  const { database, present = "refuse", dryRun = false, signal } = options;
  const connection = await database.connect(SERVICE_SCHEMA);
  try {
    await connection.script(CONNECTION_SETTINGS);
    if (dryRun) await createCheckTables(connection);
    const run = { ...options, connection, present, dryRun };
    const reporter = createProgressReporter(run);
    const isComplete = await importPieces(run, reporter);
    return { ...reporter.state, done: isComplete && !signal?.aborted };
  } finally {
    await connection.close();
  }
}

/** Imports without a service. A service may run on the same database. */
export async function importFile(
  options: Omit<ImportOptions, "pool" | "ports" | "domain" | "actor">,
): Promise<ImportProgress> {
  const { database } = options;
  await migrate(database, SERVICE_SCHEMA, SERVICE_MIGRATIONS);
  const pool = database.pool(SERVICE_SCHEMA, { max: 3, applicationName: "parley import" });
  try {
    const { domain } = hostRules(serviceConfig());
    return await importRecords({ ...options, pool, ports: realPorts, domain, actor: COMMAND_ACTOR });
  } finally {
    await pool.end();
  }
}

/** Exports without a service. @errors ACCOUNT_NOT_FOUND */
export async function exportLines(options: ExportOptions): Promise<AsyncGenerator<string>> {
  await migrate(options.database, SERVICE_SCHEMA, SERVICE_MIGRATIONS);
  return openExportLines(options);
}
