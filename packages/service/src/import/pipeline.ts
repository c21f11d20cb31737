import { rankStore } from "../users/ranks.sql.ts";
import { batchBefore, type ImportBatch, type ImportLineProblem } from "./batch.ts";
import { checkedLook } from "./constraint-check.sql.ts";
import { insertStore } from "./insert.sql.ts";
import { importLookupStore } from "./lookup.sql.ts";
import type { ImportRun } from "./import-run.ts";
import { planImport } from "./plan.ts";
import { findExistingRows, prepareBatch, type ExistingRows, type PreparedBatch } from "./prepare-batch.ts";
import type { AccountDirectory } from "./account-directory.ts";
import { checkPlan, writePlan, type ImportCounts } from "./write-plan.ts";

/** The result of a piece. */
export interface PipelineStep {
  readonly counts: ImportCounts;
  readonly problems: readonly ImportLineProblem[];
  /** The batch was planned again after a concurrent write. A lookup of the batch after it may have seen outdated rows. */
  readonly isAnew?: boolean;
}

/** The batch before the current one. */
export interface PipelineBacklog {
  /** Resolves when its statements are sent; false: the import ended before it. */
  readonly sent: Promise<boolean>;
  /** Resolves when it is committed and reported. */
  readonly told: Promise<{ readonly goesOn: boolean; readonly isAnew?: boolean | undefined }>;
}

interface Sent {
  readonly written: Promise<ImportCounts>;
  readonly problems: readonly ImportLineProblem[];
}

/** New users between two updates of the rank counts that user lists use. */
const FOLD_EVERY = 10_000;
/** Attempts to write a batch whose ids are inserted by somebody else at the same time. */
const TRIES = 3;
const UNIQUE_VIOLATION = "23505";
const isTaken = (error: unknown): boolean => (error as { code?: unknown }).code === UNIQUE_VIOLATION;

/** Writes batches, each in one transaction, on one connection that keeps the order of the file. */
export const createImportPipeline = ({ pool, connection, ports, present, dryRun }: ImportRun) => {
  const look = dryRun ? checkedLook(connection, importLookupStore(connection)) : importLookupStore(connection);
  const [insert, ranks] = [insertStore(connection), rankStore(pool)];
  /** Drawn conversation numbers that are not used yet. */
  const numbers: number[] = [];
  /** Accounts with new users whose rank counts are not updated yet. */
  const begun = new Set<number>();
  let unfolded = 0;
  let folding: Promise<unknown> = Promise.resolve();

  const lookAt = async (roll: AccountDirectory, prepared: PreparedBatch): Promise<ExistingRows> => {
    const missing = dryRun ? 0 : prepared.conversations.length - numbers.length;
    const [found, drawn] = await Promise.all([
      findExistingRows(look, roll.account.id, prepared),
      missing > 0 ? insert.numbers(missing) : [],
    ]);
    numbers.push(...drawn);
    return found;
  };

  /** Plans a batch from the existing rows and sends its statements. If a line is refused, the records before that line are sent. */
  const send = (roll: AccountDirectory, prepared: PreparedBatch, found: ExistingRows): Sent => {
    const judged = planImport(prepared, found, { roll, present, ports, numbers });
    const [first] = judged.problems;
    if (first && !dryRun) {
      const { written, problems } = send(roll, prepareBatch(roll, batchBefore(prepared.batch, first.line)), found);
      return { written, problems: problems.length > 0 ? problems : [first] };
    }
    numbers.splice(0, judged.conversations.length);
    unfolded += judged.users.length;
    if (!dryRun && judged.users.length > 0) begun.add(roll.account.id);
    const written = (dryRun ? checkPlan : writePlan)(connection, roll.account.id, judged);
    return { written, problems: judged.problems };
  };

  const settle = async (
    roll: AccountDirectory,
    prepared: PreparedBatch,
    { written, problems }: Sent,
    tries = TRIES,
  ): Promise<PipelineStep> => {
    try {
      return { counts: await written, problems, isAnew: tries < TRIES };
    } catch (error) {
      if (tries === 1 || !isTaken(error)) throw error;
      return settle(roll, prepared, send(roll, prepared, await lookAt(roll, prepared)), tries - 1);
    }
  };

  const fold = (accountId: number): void => {
    if (dryRun || unfolded < FOLD_EVERY) return;
    unfolded = 0;
    // Runs in parallel with the import. A failure shows again in the last update.
    folding = folding.then(() => ranks.fold(accountId)).catch(() => undefined);
  };

  return {
    /**
     * Starts a batch. Its lookups are sent right after the statements of the batch before it, so that the database is never idle.
     * @shape step: undefined if the batch before it ends the import
     */
    begin: (roll: AccountDirectory, batch: ImportBatch, behind: PipelineBacklog) => {
      const prepared = prepareBatch(roll, batch);
      const sending = (async (): Promise<Sent | undefined> => {
        await behind.sent;
        const early = lookAt(roll, prepared);
        early.catch(() => undefined);
        const { goesOn, isAnew } = await behind.told;
        if (!goesOn) return undefined;
        const found = await early;
        return send(roll, prepared, isAnew ? await lookAt(roll, prepared) : found);
      })();
      const step = sending.then(async (under) => {
        if (!under) return undefined;
        const settled = await settle(roll, prepared, under);
        fold(roll.account.id);
        return settled;
      });
      const sent = sending.then((under) => under !== undefined);
      sent.catch(() => undefined);
      return { sent, step };
    },
    finish: async (): Promise<void> => {
      await folding;
      for (const id of begun) await ranks.fold(id);
    },
  };
};
