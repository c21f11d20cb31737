import type { Db } from "@parley/database";
import type { Projection, ProjectionPauses } from "../../base/log/projection.ts";
import { stillRunning } from "../../base/log/high-watermark.ts";
import { logWriters } from "../../base/log/store.ts";
import { queueConversationsOf } from "../../messaging/search-queue/queue.sql.ts";
import { backlogStore, type QueuedGroup } from "./backlog.sql.ts";
import { buildChunk } from "./chunk.ts";
import { assigneeMarks, DOCUMENT_KINDS, markOf, type DocumentKind } from "./documents.ts";
import { moveOwners, type MovedOwner } from "./edit-chunks.ts";
import { indexStore } from "./index.sql.ts";
import { readDocuments, sourceStore } from "./source.sql.ts";
import { isReassignment, searchSpanStore } from "./span.sql.ts";

/** Sizes and waits of the index. */
export interface SearchIndexRules {
  /** Documents of a chunk. */
  readonly chunkSize: number;
  /** Documents without an event that are indexed in one transaction. */
  readonly batch: number;
  /** Bulk documents are indexed when no bulk documents were queued for this time. @units milliseconds */
  readonly bulkQuietMs: number;
  readonly pauses: ProjectionPauses;
}

/**
 * @assumed The numbers. `npm run bench -- search` measures them. Larger chunks are smaller in total and faster for rare words, and the
 * recent documents, which are read one by one, are more.
 */
export const SEARCH_INDEX_RULES: SearchIndexRules = {
  chunkSize: 8_192,
  batch: 8_192,
  bulkQuietMs: 500,
  pauses: { log: 3, backlog: 1, busy: 40 },
};

const { messages, users, conversations } = DOCUMENT_KINDS;

/** Documents that are read and divided into words at a time: requests of the same process are served in between. */
const DOCUMENTS_PER_READ = 200;

/**
 * Moves conversations and their users to those who reach them now. The present assignment counts, not that of the event: a later
 * event moves them again.
 */
const moveConversations = async (
  tx: Db,
  { created = [], changed }: { readonly created?: readonly string[]; readonly changed: readonly string[] },
): Promise<void> => {
  if (created.length + changed.length === 0) return;
  const store = indexStore(tx);
  const isChanged = new Set(changed);
  // A new conversation that nobody is assigned to changes nothing.
  const periods = (await searchSpanStore(tx).periods([...new Set([...created, ...changed])])).filter(
    ({ id, assigned_agent_id, assigned_group_id }) =>
      isChanged.has(id) || assigned_agent_id !== null || assigned_group_id !== null,
  );
  if (periods.length === 0) return;
  const found = await sourceStore(tx).users([...new Set(periods.map(({ user_id }) => user_id))]);
  const byAccount = new Map<number, { conversations: MovedOwner[]; users: MovedOwner[] }>();
  const recent = new Map<string, readonly string[]>();
  const ownersOf = (accountId: number) => {
    const owners = byAccount.get(accountId) ?? { conversations: [], users: [] };
    byAccount.set(accountId, owners);
    return owners;
  };
  for (const { id, account_id, assigned_agent_id, assigned_group_id, from_time: from, to_time: to } of periods) {
    const assignees = assigneeMarks([assigned_agent_id], [assigned_group_id]);
    recent.set(id, assignees);
    ownersOf(account_id).conversations.push({ mark: markOf("conversation", id), from, to, assignees });
  }
  for (const { id, account_id, created_time, agents, groups } of found) {
    const assignees = assigneeMarks(agents, groups);
    recent.set(id, assignees);
    ownersOf(account_id).users.push({ mark: markOf("user", id), from: created_time, to: created_time, assignees });
  }
  await store.remarkRecent(recent);
  for (const [accountId, owners] of byAccount) {
    await moveOwners(store, { accountId, kind: messages }, owners.conversations);
    await moveOwners(store, { accountId, kind: conversations }, owners.conversations);
    await moveOwners(store, { accountId, kind: users }, owners.users);
  }
};

/**
 * Follows the log and keeps the search index up to date. The index proposes documents; a search reads and checks the stored object of
 * each, so a stale entry costs time and shows nothing.
 */
export const createSearchProjection = (rules: SearchIndexRules): Projection => {
  /** Number of recent documents by account and kind; it may be too high after a transaction that failed. */
  const recentCounts = new Map<string, QueuedGroup & { count: number }>();
  let writersBefore: readonly string[] | undefined;
  let quiet = { position: -1, since: 0 };

  const add = async (tx: Db, kind: DocumentKind, ids: readonly string[]): Promise<void> => {
    const store = indexStore(tx);
    const all = [...new Set(ids)];
    for (let start = 0; start < all.length; start += DOCUMENTS_PER_READ) {
      const documents = await readDocuments(tx, kind, all.slice(start, start + DOCUMENTS_PER_READ));
      await store.addRecent(kind, documents);
      for (const { account_id } of documents) {
        const key = `${account_id} ${kind}`;
        const present = recentCounts.get(key);
        if (present) present.count += 1;
        else recentCounts.set(key, { account_id, kind, count: await store.countRecent(account_id, kind) });
      }
    }
  };

  /** Makes a chunk of recent documents if an index has enough. */
  const flush = async (tx: Db): Promise<boolean> => {
    const full = [...recentCounts.entries()].find(([, { count }]) => count >= rules.chunkSize);
    if (!full) return false;
    const [key, { account_id, kind }] = full;
    const store = indexStore(tx);
    recentCounts.delete(key);
    await store.lock([account_id]);
    // The count may have been of a transaction that failed.
    if ((await store.countRecent(account_id, kind)) < rules.chunkSize) return true;
    const documents = await store.takeRecent(account_id, kind, rules.chunkSize);
    await store.addChunk(account_id, kind, await buildChunk(documents));
    const count = await store.countRecent(account_id, kind);
    recentCounts.set(key, { account_id, kind, count });
    return true;
  };

  /** Indexes the newest queued documents of one account. */
  const drain = async (tx: Db, isBulk: boolean): Promise<boolean> => {
    const [backlog, store] = [backlogStore(tx), indexStore(tx)];
    const group = await backlog.next(isBulk);
    if (!group) return false;
    const { account_id, kind } = group;
    await store.lock([account_id]);
    const ids = await backlog.take(isBulk, group, Math.min(rules.batch, rules.chunkSize));
    if (ids.length < rules.chunkSize) await add(tx, kind, ids);
    else {
      const documents = await readDocuments(tx, kind, ids);
      if (documents.length > 0) await store.addChunk(account_id, kind, await buildChunk(documents));
    }
    // An import may have changed the assignment of conversations whose messages are in the index. New documents are bulk documents.
    if (kind === conversations && !isBulk) await moveConversations(tx, { changed: ids });
    return true;
  };

  /** Bulk documents come in any order. They are indexed when all are there, the newest first, so that chunks are periods. */
  const isQuiet = async (tx: Db): Promise<boolean> => {
    const position = await backlogStore(tx).last();
    if (position !== quiet.position) quiet = { position, since: performance.now() };
    return performance.now() - quiet.since >= rules.bulkQuietMs;
  };

  /** Rows of transactions that were running when the cursor was created are found by the walk, which waits for them. */
  const isWalkReady = async (tx: Db): Promise<boolean> => {
    const running = async () => logWriters(tx);
    writersBefore = writersBefore ? await stillRunning(writersBefore, { runningWriters: running }) : await running();
    return writersBefore.length === 0;
  };

  return {
    name: "search",
    pauses: rules.pauses,
    async project(tx, span) {
      const [store, log] = [indexStore(tx), searchSpanStore(tx)];
      const events = await log.events(span);
      if (events.length === 0) return;
      await store.lock(events.map(({ account_id }) => account_id));
      const of = (...kinds: readonly string[]) => events.filter(({ kind }) => kinds.includes(kind));
      await add(
        tx,
        messages,
        of("message_create").flatMap(({ message_id }) => message_id ?? []),
      );
      await add(
        tx,
        users,
        of("user_create", "user_update").map(({ entity_id }) => entity_id),
      );
      await add(
        tx,
        conversations,
        of("conversation_create").map(({ entity_id }) => entity_id),
      );
      await queueConversationsOf(
        tx,
        of("user_update").map(({ entity_id }) => entity_id),
      );
      await moveConversations(tx, {
        created: of("conversation_create").map(({ entity_id }) => entity_id),
        changed: events.filter(isReassignment).map(({ entity_id }) => entity_id),
      });
    },
    backlog: {
      async workOff(tx) {
        if (await flush(tx)) return true;
        if (await drain(tx, false)) return true;
        if ((await isWalkReady(tx)) && (await backlogStore(tx).walk())) return true;
        return (await isQuiet(tx)) && drain(tx, true);
      },
      last: (db) => backlogStore(db).last(),
      isDone: async (db, upTo) =>
        ![...recentCounts.values()].some(({ count }) => count >= rules.chunkSize) && backlogStore(db).isDone(upTo),
    },
  };
};
