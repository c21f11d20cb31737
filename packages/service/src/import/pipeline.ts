import { hasSqlState, SQLSTATE } from "@parley/database";
import { rankStore } from "../users/ranks.sql.ts";
import { batchBefore, type ImportBatch, type ImportLineProblem } from "./batch.ts";
import { checkedLook } from "./constraint-check.sql.ts";
import { conversationImportStore } from "../conversations/import.sql.ts";
import { importLookupStore } from "./lookup.sql.ts";
import type { ImportRun } from "./import-run.ts";
import { planImport } from "./plan.ts";
import { findExistingRows, prepareBatch, type ExistingRows, type PreparedBatch } from "./prepare-batch.ts";
import type { AccountDirectory } from "./account-directory.ts";
import { checkPlan, writePlan, type ImportCounts } from "./write-plan.ts";

/** What a piece came to. */
export interface PipelineStep {
  readonly counts: ImportCounts;
  readonly problems: readonly ImportLineProblem[];
  /** It was judged once more, since somebody else was faster: whoever looked behind it saw it was not to be. */
  readonly isAnew?: boolean;
}

/** What a batch stands behind. */
export interface PipelineBacklog {
  /** Its statements are on their way; false: the import ended before it. */
  readonly sent: Promise<boolean>;
  /** It is committed, and told. */
  readonly told: Promise<{ readonly goesOn: boolean; readonly isAnew?: boolean | undefined }>;
}

interface Sent {
  readonly written: Promise<ImportCounts>;
  readonly problems: readonly ImportLineProblem[];
}

/** New users between two folds of the counts that lists stand on. */
const FOLD_EVERY = 10_000;
/** How often a batch is judged anew when somebody else wrote one of its ids meanwhile. */
const TRIES = 3;
const isTaken = (error: unknown): boolean => hasSqlState(error, SQLSTATE.UNIQUE_VIOLATION);

/** Takes batches in, each in one transaction on the one connection, whose order is that of the file. */
export const createImportPipeline = ({ pool, connection, ports, present, dryRun }: ImportRun) => {
  const look = dryRun ? checkedLook(connection, importLookupStore(connection)) : importLookupStore(connection);
  const [conversationStore, ranks] = [conversationImportStore(connection), rankStore(pool)];
  /** Of conversations: drawn, and not given out. */
  const numbers: number[] = [];
  /** Accounts with new users whose counts are still to be folded. */
  const begun = new Set<number>();
  let unfolded = 0;
  let folding: Promise<unknown> = Promise.resolve();

  const lookAt = async (roll: AccountDirectory, prepared: PreparedBatch): Promise<ExistingRows> => {
    const missing = dryRun ? 0 : prepared.conversations.length - numbers.length;
    const [found, drawn] = await Promise.all([
      findExistingRows(look, roll.account.id, prepared),
      missing > 0 ? conversationStore.numbers(missing) : [],
    ]);
    numbers.push(...drawn);
    return found;
  };

  /** Judges a batch by what was found, and sends what it comes to. Of one with a line that is refused it is what stands before it. */
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
    // Beside what is taken in meanwhile; a failure is the one of the last fold too.
    folding = folding.then(() => ranks.fold(accountId)).catch(() => undefined);
  };

  return {
    /**
     * Begins a batch: it is judged by looks that are sent right behind the statements of the one before it, so that the database has
     * always something to do.
     * @shape step: undefined when the one before it ends the import
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
