import { hasSqlState, SQLSTATE } from "@parley/database";
import { rankStore } from "../../../messaging/users/ranks.sql.ts";
import { batchBefore, type ImportBatch, type ImportLineProblem } from "./batch.ts";
import { lookupsWithChecked } from "./constraint-check.sql.ts";
import { conversationImportStore } from "../../../messaging/conversations/import.sql.ts";
import { importLookupStore } from "./lookup.sql.ts";
import type { ImportRun } from "./import-run.ts";
import { planImport } from "./plan.ts";
import { findExistingRows, prepareBatch, type ExistingRows, type PreparedBatch } from "./prepare-batch.ts";
import type { AccountDirectory } from "./account-directory.ts";
import { checkPlan, writePlan, type ImportCounts } from "./write-plan.sql.ts";

/** The result of a piece. */
export interface PipelineStep {
  readonly counts: ImportCounts;
  readonly problems: readonly ImportLineProblem[];
  /** The batch was planned again after a concurrent write. A lookup of the batch after it may have seen outdated rows. */
  readonly isReplanned?: boolean;
}

/** The batch before the current batch. */
export interface PipelineBacklog {
  /** Resolves when its statements are sent; false: the import ended before it. */
  readonly sent: Promise<boolean>;
  /** Resolves when it is committed and reported. */
  readonly reported: Promise<{ readonly isContinuing: boolean; readonly isReplanned?: boolean | undefined }>;
}

interface Sent {
  readonly written: Promise<ImportCounts>;
  readonly problems: readonly ImportLineProblem[];
}

/** New users between two updates of the rank counts that user lists use. */
const USERS_PER_FOLD = 10_000;
/** Attempts to write a batch whose ids are inserted by somebody else at the same time. */
const ATTEMPTS_MAX = 3;
const isUniqueViolation = (error: unknown): boolean => hasSqlState(error, SQLSTATE.UNIQUE_VIOLATION);

/** Writes batches, each in one transaction, on one connection that keeps the order of the file. */
export const createImportPipeline = ({ pool, connection, ports, present, dryRun }: ImportRun) => {
  const lookups = dryRun
    ? lookupsWithChecked(connection, importLookupStore(connection))
    : importLookupStore(connection);
  const [conversationStore, ranks] = [conversationImportStore(connection), rankStore(pool)];
  /** Drawn conversation numbers that are not used yet. */
  const numbers: number[] = [];
  /** Accounts with new users whose rank counts are not updated yet. */
  const accountsToFold = new Set<number>();
  let unfoldedUsers = 0;
  let folding: Promise<unknown> = Promise.resolve();

  const lookUp = async (directory: AccountDirectory, prepared: PreparedBatch): Promise<ExistingRows> => {
    const missing = dryRun ? 0 : prepared.conversations.length - numbers.length;
    const [found, drawn] = await Promise.all([
      findExistingRows(lookups, directory.account.id, prepared),
      missing > 0 ? conversationStore.numbers(missing) : [],
    ]);
    numbers.push(...drawn);
    return found;
  };

  /** Plans a batch from the existing rows and sends its statements. If a line is refused, the records before that line are sent. */
  const send = (directory: AccountDirectory, prepared: PreparedBatch, found: ExistingRows): Sent => {
    const plan = planImport(prepared, found, { directory, present, ports, numbers });
    const [first] = plan.problems;
    if (first && !dryRun) {
      const { written, problems } = send(
        directory,
        prepareBatch(directory, batchBefore(prepared.batch, first.line)),
        found,
      );
      return { written, problems: problems.length > 0 ? problems : [first] };
    }
    numbers.splice(0, plan.conversations.length);
    unfoldedUsers += plan.users.length;
    if (!dryRun && plan.users.length > 0) accountsToFold.add(directory.account.id);
    const written = (dryRun ? checkPlan : writePlan)(connection, directory.account.id, plan);
    return { written, problems: plan.problems };
  };

  const settle = async (
    directory: AccountDirectory,
    prepared: PreparedBatch,
    { written, problems }: Sent,
    attemptsLeft = ATTEMPTS_MAX,
  ): Promise<PipelineStep> => {
    try {
      return { counts: await written, problems, isReplanned: attemptsLeft < ATTEMPTS_MAX };
    } catch (error) {
      if (attemptsLeft === 1 || !isUniqueViolation(error)) throw error;
      return settle(
        directory,
        prepared,
        send(directory, prepared, await lookUp(directory, prepared)),
        attemptsLeft - 1,
      );
    }
  };

  const fold = (accountId: number): void => {
    if (dryRun || unfoldedUsers < USERS_PER_FOLD) return;
    unfoldedUsers = 0;
    // Runs in parallel with the import. A failure shows again in the last update.
    folding = folding.then(() => ranks.fold(accountId)).catch(() => undefined);
  };

  return {
    /**
     * Starts a batch. Its lookups are sent right after the statements of the batch before it, so that the database is never idle.
     * @shape step: undefined if the batch before it ends the import
     */
    begin: (directory: AccountDirectory, batch: ImportBatch, previous: PipelineBacklog) => {
      const prepared = prepareBatch(directory, batch);
      const sending = (async (): Promise<Sent | undefined> => {
        await previous.sent;
        const lookup = lookUp(directory, prepared);
        lookup.catch(() => undefined);
        const { isContinuing, isReplanned } = await previous.reported;
        if (!isContinuing) return undefined;
        const found = await lookup;
        return send(directory, prepared, isReplanned ? await lookUp(directory, prepared) : found);
      })();
      const step = sending.then(async (batchSent) => {
        if (!batchSent) return undefined;
        const settled = await settle(directory, prepared, batchSent);
        fold(directory.account.id);
        return settled;
      });
      const sent = sending.then((batchSent) => batchSent !== undefined);
      sent.catch(() => undefined);
      return { sent, step };
    },
    finish: async (): Promise<void> => {
      await folding;
      for (const id of accountsToFold) await ranks.fold(id);
    },
  };
};
