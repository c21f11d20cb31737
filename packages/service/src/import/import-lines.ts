import { isRefusal, type ImportProgress } from "@parley/contract";
import { SERVICE_SCHEMA } from "../db/migrations.ts";
import { KEYED_PLANS } from "../db/pools.ts";
import { firstLineOfPiece, lastLineOf, readPieces, type ImportPiece } from "./batch.ts";
import { createImportPipeline, type PipelineBacklog, type PipelineStep } from "./pipeline.ts";
import { prepareChecked } from "./constraint-check.sql.ts";
import type { ImportOptions, ImportRun } from "./import-run.ts";
import { createImportSettings } from "./import-settings.ts";
import { NO_IMPORT_COUNTS } from "./write-plan.ts";

/** Refused lines after which a dry run ends. */
const MOST_PROBLEMS = 100;

// The settings of the connections for frequent statements.
const SETTINGS = Object.entries(KEYED_PLANS)
  .map(([name, value]) => `set ${name} = ${value}`)
  .join(";");

/** Turns a refusal into a step with one problem. @errors every other error */
const refused =
  (piece: ImportPiece) =>
  (error: unknown): PipelineStep => {
    if (!isRefusal(error)) throw error;
    return { counts: NO_IMPORT_COUNTS, problems: [{ line: firstLineOfPiece(piece), refusal: error }] };
  };

/** Reports the results of pieces in file order, and keeps the progress. */
const telling = ({ dryRun, signal, progress = () => undefined }: ImportRun) => {
  const state = { line: 0, done: false, ...NO_IMPORT_COUNTS, refused: 0 };
  return {
    state,
    /** A step of undefined was never started. -> whether the import continues */
    tell: (piece: ImportPiece, step: PipelineStep | undefined): boolean => {
      if (!step) return false;
      const { counts, problems } = step;
      for (const name of ["created", "updated", "unchanged"] as const) state[name] += counts[name];
      const [first] = problems;
      state.line = first && !dryRun ? first.line - 1 : lastLineOf(piece);
      state.refused += problems.length;
      for (const { line, refusal } of problems) {
        const { code, status } = refusal.problem;
        progress({ ...state, problem: { line, code, status, message: refusal.message } });
      }
      if (!first) progress({ ...state });
      return !signal?.aborted && (!first || (dryRun && state.refused < MOST_PROBLEMS));
    },
  };
};

/**
 * Imports all pieces in a pipeline of three stages: one batch is written, the next looks up existing rows, a third is read. -> whether
 * the end of the file was reached
 */
const takeAll = async (run: ImportRun, { tell }: ReturnType<typeof telling>): Promise<boolean> => {
  const [single, batches] = [createImportSettings(run), createImportPipeline(run)];
  const nothing = Promise.resolve(true);
  let last: PipelineBacklog = { sent: nothing, told: Promise.resolve({ goesOn: true }) };
  let isOver = false;

  const step = async (piece: Exclude<ImportPiece, { kind: "batch" }>): Promise<PipelineStep> =>
    piece.kind === "problem"
      ? { counts: NO_IMPORT_COUNTS, problems: [piece.problem] }
      : { counts: await single.take(piece.record.record), problems: [] };

  /** -> undefined: the import has ended */
  const begin = async (piece: ImportPiece): Promise<PipelineBacklog | undefined> => {
    if (piece.kind === "batch") {
      single.count(piece.records);
      const roll = await single.theRoll().catch(refused(piece));
      if (!("problems" in roll)) {
        const { sent, step } = batches.begin(roll, piece.batch, last);
        const told = step.catch(refused(piece)).then((done) => {
          isOver ||= !tell(piece, done);
          return { goesOn: !isOver, isAnew: done?.isAnew };
        });
        told.catch(() => undefined);
        return { sent, told };
      }
      if (!(await last.told).goesOn) return undefined;
      return { sent: nothing, told: Promise.resolve({ goesOn: tell(piece, roll) }) };
    }
    // Waits for the pieces before: later records refer to this piece, and an earlier piece may end the import.
    if (!(await last.told).goesOn) return undefined;
    return { sent: nothing, told: Promise.resolve({ goesOn: tell(piece, await step(piece).catch(refused(piece))) }) };
  };

  try {
    for await (const piece of readPieces(run.source)) {
      const before = last;
      const next = await begin(piece);
      if (!next) break;
      last = next;
      if (!(await before.sent) || isOver) break;
    }
  } finally {
    await last.told.catch(() => undefined);
  }
  const { goesOn } = await last.told;
  await batches.finish();
  return goesOn;
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
    await connection.script(SETTINGS);
    if (dryRun) await prepareChecked(connection);
    const run = { ...options, connection, present, dryRun };
    const told = telling(run);
    const isWhole = await takeAll(run, told);
    return { ...told.state, done: isWhole && !signal?.aborted };
  } finally {
    await connection.close();
  }
}
