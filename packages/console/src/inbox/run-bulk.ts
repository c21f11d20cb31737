import type { BulkChangeResult } from "@parley/contract";
import { isProblemError } from "@parley/client/session";
import type { QueryClient } from "@tanstack/react-query";
import { VALUES } from "../contract-values.ts";
import { client } from "../session/session.ts";
import { createStore } from "../state/store.ts";
import { type BulkOutcome, type ChangeGroup, mergeOutcomes, NO_OUTCOME, slicesOf } from "./bulk-changes.ts";
import { inboxMessages as texts } from "./messages.ts";
import { requestReread } from "./rereading.ts";

/** Progress of the bulk change that is under way. */
export const bulkProgress = createStore<{ readonly done: number; readonly all: number } | undefined>(undefined);

/** Requests for single conversations that are under way at the same time. */
const PARALLEL_REQUESTS = 4;

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

const outcomeOf = (results: readonly BulkChangeResult[]): BulkOutcome =>
  results
    .map(({ conversation_id, code, status, message = status }): BulkOutcome =>
      code === 200 ? { done: [conversation_id], refusals: new Map() } : { done: [], refusals: new Map([[message, 1]]) },
    )
    .reduce(mergeOutcomes, NO_OUTCOME);

/** Runs requests one after another, and reports the progress. A request without an answer counts as refused; further requests are sent. */
const runParts = async <T>(
  parts: readonly T[],
  sizeOf: (part: T) => number,
  send: (part: T) => Promise<BulkOutcome>,
  parallel = 1,
): Promise<BulkOutcome> => {
  const all = parts.reduce((sum, part) => sum + sizeOf(part), 0);
  let [done, outcome] = [0, NO_OUTCOME];
  bulkProgress.set({ done, all });
  const waiting = parts.values();
  const work = async (): Promise<void> => {
    for (const part of waiting) {
      const result = await send(part).catch((error: unknown): BulkOutcome => ({
        done: [],
        refusals: new Map([[reasonOf(error), sizeOf(part)]]),
      }));
      outcome = mergeOutcomes(outcome, result);
      done += sizeOf(part);
      bulkProgress.set({ done, all });
    }
  };
  await Promise.all(Array.from({ length: parallel }, work));
  bulkProgress.set(undefined);
  return outcome;
};

/** Applies changes to conversations, each by itself. */
export const changeConversationsInBulk = (
  queries: QueryClient,
  groups: readonly ChangeGroup[],
): Promise<BulkOutcome> => {
  const parts = groups.flatMap(({ change, ids }) =>
    slicesOf(ids, VALUES.bulkChangeMax).map((part) => ({ change, ids: part })),
  );
  return runParts(
    parts,
    ({ ids }) => ids.length,
    async ({ change, ids }) => {
      const { results } = await client.inbox.changeConversations({ body: { conversation_ids: [...ids], change } });
      const outcome = outcomeOf(results);
      requestReread(queries, outcome.done);
      return outcome;
    },
  );
};

/** Marks conversations as read or unread by the agent. */
export const markConversations = (
  queries: QueryClient,
  ids: readonly string[],
  isRead: boolean,
): Promise<BulkOutcome> =>
  runParts(
    ids,
    () => 1,
    async (id) => {
      try {
        await client.inbox.markConversation({
          params: { conversation_id: id },
          body: { is_read: isRead },
        });
        requestReread(queries, [id]);
        return { done: [id], refusals: new Map() };
      } catch (error) {
        if (!isProblemError(error)) throw error;
        return { done: [], refusals: new Map([[error.problem.code === 404 ? texts.notFound : error.message, 1]]) };
      }
    },
    PARALLEL_REQUESTS,
  );
