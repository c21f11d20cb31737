import type { Message, SearchHighlight, SearchKind, User } from "@parley/contract";
import type { Db } from "@parley/database";
import type { AgentReach, ReachingAgent } from "../../messaging/conversations/reach.sql.ts";
import { createCandidates } from "./candidates.ts";
import {
  assigneeMarks,
  compareNewest,
  DOCUMENT_KINDS,
  fieldsOfConversation,
  fieldsOfMessage,
  fieldsOfUser,
  keyBefore,
  markOf,
  textsOf,
  type DocumentFields,
  type DocumentKey,
} from "./documents.ts";
import { searchStore } from "./find.sql.ts";
import { highlightOf } from "./highlight.ts";
import { tokensOf } from "./lexemes.ts";
import { matchSpans, type Query } from "./query.ts";
import { sourceStore, type StoredConversation } from "./source.sql.ts";

/** Search of one kind of objects. */
export interface SearchRequest {
  readonly accountId: number;
  /** Restricts the search to the agent's scope. Absent for a token. */
  readonly agent: ReachingAgent | undefined;
  readonly query: Query;
  readonly channelId: string | undefined;
  readonly conversationId: string | undefined;
  readonly after: DocumentKey | undefined;
  /** @units epoch milliseconds */
  readonly from: number | undefined;
  readonly limit: number;
  /** Time at which the search ends with what it has found. @units milliseconds of performance.now() */
  readonly deadline: number;
}

interface FoundDocument<T> extends DocumentKey {
  readonly object: T;
  readonly highlight: SearchHighlight;
}

/** A page of results, the newest first. */
export interface FoundPage<T> {
  readonly items: readonly FoundDocument<T>[];
  /** Position after which the search goes on. undefined: there is nothing more */
  readonly next: DocumentKey | undefined;
  /** The search ended at its deadline: the page is not full, and older objects may match. */
  readonly isPartial: boolean;
}

/** A stored object that a candidate names. */
interface Candidate<T> {
  readonly account_id: number;
  readonly id: string;
  readonly created_time: Date;
  readonly fields: DocumentFields;
  readonly channel_id?: string;
  /** The conversation, or the user of a candidate that is a user: decides who reaches it. */
  readonly owner: string;
  readonly object: T;
}

interface ObjectsByKind {
  readonly messages: Message;
  readonly users: User;
  readonly conversations: StoredConversation;
}

/** Candidates that are checked in addition to those that the page needs: some of them may not match any more. */
const SPARE_CANDIDATES = 4;
/** Candidates that are checked at a time, at most: twice as many after each time that did not fill the page. */
const CHECKED_MAX = 256;

/** Marks of which a document must have one to be within the scope. undefined: any document is */
const assigneesOf = (agent: ReachingAgent | undefined): readonly string[] | undefined => {
  if (!agent || agent.scope === "Global") return undefined;
  return agent.scope === "None" ? [] : assigneeMarks([agent.id], agent.scope === "Group" ? agent.groups : []);
};

interface FindDeps {
  /** For searches: slow searches don't delay other requests, and no more than its connections run at a time. */
  readonly heavy: Db;
  readonly reach: Pick<AgentReach, "users" | "conversations">;
}

/** Searches one kind of objects. */
export const createFind = ({ heavy, reach }: FindDeps) => {
  const source = sourceStore(heavy);
  const load: {
    readonly [K in SearchKind]: (ids: readonly string[]) => Promise<readonly Candidate<ObjectsByKind[K]>[]>;
  } = {
    messages: async (ids) =>
      (await source.messages(ids)).map((row) => {
        const object = JSON.parse(row.body) as Message;
        return { ...row, owner: row.conversation_id, object, fields: fieldsOfMessage(object) };
      }),
    users: async (ids) =>
      (await source.users(ids)).map((row) => {
        const object = JSON.parse(row.body) as User;
        return { ...row, owner: row.id, object, fields: fieldsOfUser(object) };
      }),
    conversations: async (ids) =>
      (await source.conversations(ids)).map((row) => ({
        ...row,
        owner: row.id,
        object: row,
        fields: fieldsOfConversation(row),
      })),
  };

  /** Those of the candidates that the agent reaches at this moment. */
  const withinReach = async <T>(
    kind: SearchKind,
    { accountId, agent }: SearchRequest,
    candidates: readonly Candidate<T>[],
  ): Promise<readonly Candidate<T>[]> => {
    if (!agent) return candidates;
    const owners = [...new Set(candidates.map(({ owner }) => owner))];
    const reached = await reach[kind === "users" ? "users" : "conversations"](accountId, agent, owners);
    const isReached = new Set(reached);
    return candidates.filter(({ owner }) => isReached.has(owner));
  };

  /** Reads the candidates and checks each: the index may be behind. */
  const check = async <K extends SearchKind>(
    kind: K,
    request: SearchRequest,
    keys: readonly DocumentKey[],
  ): Promise<FoundDocument<ObjectsByKind[K]>[]> => {
    const { accountId, query, channelId, conversationId } = request;
    const loaded = (await load[kind](keys.map(({ id }) => id))).filter(
      ({ account_id, channel_id, owner }) =>
        account_id === accountId &&
        (channelId === undefined || channel_id === channelId) &&
        (conversationId === undefined || owner === conversationId),
    );
    const byId = new Map((await withinReach(kind, request, loaded)).map((each) => [each.id, each]));
    return keys.flatMap((key) => {
      const candidate = byId.get(key.id);
      if (!candidate || candidate.created_time.getTime() !== key.time) return [];
      const spans = matchSpans(query, tokensOf(textsOf(candidate.fields)));
      return spans ? [{ ...key, object: candidate.object, highlight: highlightOf(candidate.fields, spans) }] : [];
    });
  };

  return async <K extends SearchKind>(kind: K, request: SearchRequest): Promise<FoundPage<ObjectsByKind[K]>> => {
    const { accountId, agent, query, channelId, conversationId, after, from, limit, deadline } = request;
    if (query.required.length === 0) return { items: [], next: undefined, isPartial: false };
    const isOver = () => performance.now() > deadline;
    const index = { accountId, kind: DOCUMENT_KINDS[kind], after, from };
    const marks = [
      ...(conversationId === undefined ? [] : [markOf("conversation", conversationId)]),
      ...(channelId === undefined ? [] : [markOf("channel", channelId)]),
    ];
    const plan = { query, marks, assignees: assigneesOf(agent) };
    const candidates = await createCandidates(searchStore(heavy), index, plan);
    const items: FoundDocument<ObjectsByKind[K]>[] = [];
    let lastTaken: DocumentKey | undefined;
    for (let count = limit + 1 + SPARE_CANDIDATES; ; count = Math.min(count * 2, Math.max(count, CHECKED_MAX))) {
      const { keys, reached } = await candidates.take(count, isOver);
      items.push(...(await check(kind, request, keys)));
      lastTaken = keys.at(-1) ?? lastTaken;
      const end = items[limit - 1];
      if (items.length > limit && end)
        return { items: items.slice(0, limit), next: { time: end.time, id: end.id }, isPartial: false };
      if (!reached) return { items, next: undefined, isPartial: false };
      if (isOver()) {
        const before = keyBefore(reached);
        const next = lastTaken && compareNewest(lastTaken, before) > 0 ? lastTaken : before;
        return { items, next, isPartial: true };
      }
    }
  };
};
export type Find = ReturnType<typeof createFind>;
