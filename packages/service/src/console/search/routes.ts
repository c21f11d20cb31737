import {
  FORBIDDEN,
  INVALID_VALUE,
  refuse,
  search,
  SEARCH_KINDS,
  SEARCH_PAGE_SIZE,
  type Permission,
  type SearchKind,
  type SearchResults,
} from "@parley/contract";
import { toApiConversation } from "../../messaging/conversations/conversation.ts";
import type { FindConversationId } from "../../messaging/conversations/find.ts";
import type { Directory } from "../../messaging/directory/directory.ts";
import { defineRoutes, type ApiCaller } from "../../http/route-handlers.ts";
import { isUuid } from "../../http/uuid.ts";
import { compareNewest, type DocumentKey } from "./documents.ts";
import type { Find, SearchRequest } from "./find.ts";
import { parseQuery } from "./query.ts";

/**
 * Duration after which a search ends with what it has found.
 * @assumed One second: it reports the kinds that it did not finish, instead of failing.
 * @units milliseconds
 */
const SEARCH_TIME_MS = 1_000;

/** Permission that a token needs to find objects of a kind. */
const READ_PERMISSIONS: Readonly<Record<SearchKind, Permission>> = {
  messages: "message:read",
  users: "user:read",
  conversations: "conversation:read",
};

const isKind = (text: string): text is SearchKind => SEARCH_KINDS.some((kind) => kind === text);

/** @errors INVALID_VALUE for a kind that does not exist or that the filters exclude, FORBIDDEN for one that the token may not read */
const kindsOf = (
  { kinds: text, channel_id, conversation_id }: SearchQuery,
  { permissions }: ApiCaller,
): readonly SearchKind[] => {
  const excluded: Readonly<Record<SearchKind, string | undefined>> = {
    messages: undefined,
    users: conversation_id !== undefined ? "conversation_id" : channel_id !== undefined ? "channel_id" : undefined,
    conversations: conversation_id !== undefined ? "conversation_id" : undefined,
  };
  if (text === undefined)
    return SEARCH_KINDS.filter((kind) => permissions.has(READ_PERMISSIONS[kind]) && excluded[kind] === undefined);
  const named = text.split(",").map((name) => name.trim());
  return SEARCH_KINDS.filter((kind) => {
    const unknown = named.find((name) => !isKind(name));
    if (unknown !== undefined) refuse(INVALID_VALUE, `kinds must be a list of ${SEARCH_KINDS.join(", ")}.`);
    if (!named.includes(kind)) return false;
    if (!permissions.has(READ_PERMISSIONS[kind]))
      refuse(FORBIDDEN, `The access token does not have the permission ${READ_PERMISSIONS[kind]}.`);
    if (excluded[kind] !== undefined) refuse(INVALID_VALUE, `${excluded[kind]} does not apply to ${kind}.`);
    return true;
  });
};

type SearchQuery = Pick<
  Parameters<Parameters<typeof defineRoutes<typeof search>>[1]["search"]>[0]["query"],
  "kinds" | "channel_id" | "conversation_id" | "cursor" | "to_time"
>;

const CURSOR = /^(-?\d{1,15})_([0-9a-f-]{36})$/;

const cursorText = ({ time, id }: DocumentKey): string => Buffer.from(`${time}_${id}`).toString("base64url");

/** @errors INVALID_VALUE */
const readCursor = (text: string): DocumentKey => {
  const [, time, id] = CURSOR.exec(Buffer.from(text, "base64url").toString()) ?? [];
  if (time === undefined || id === undefined || !isUuid(id))
    return refuse(INVALID_VALUE, "cursor must be a cursor that a page of the same search returned.");
  return { time: Number(time), id };
};

/** Where a page begins. @shape to_time is exclusive: no id is less than this id */
const startOf = ({ cursor, to_time }: SearchQuery): DocumentKey | undefined => {
  const starts = [
    ...(cursor === undefined ? [] : [readCursor(cursor)]),
    ...(to_time === undefined ? [] : [{ time: Date.parse(to_time), id: "00000000-0000-0000-0000-000000000000" }]),
  ];
  return starts.toSorted(compareNewest).at(-1);
};

interface SearchDeps {
  readonly find: Find;
  readonly findId: FindConversationId;
  readonly directory: Directory;
}

export const searchRoutes = ({ find, findId, directory }: SearchDeps) =>
  defineRoutes(search, {
    async search({ query, caller }) {
      const { account, agent } = caller;
      const kinds = kindsOf(query, caller);
      if (query.cursor !== undefined && kinds.length > 1)
        refuse(INVALID_VALUE, "cursor needs kinds to name a single kind.");
      const conversationId =
        query.conversation_id === undefined ? undefined : await findId(account.id, query.conversation_id);
      const request: SearchRequest = {
        accountId: account.id,
        agent,
        query: parseQuery(query.q),
        channelId: query.channel_id?.toLowerCase(),
        conversationId,
        after: startOf(query),
        from: query.from_time === undefined ? undefined : Date.parse(query.from_time),
        limit: query.limit ?? SEARCH_PAGE_SIZE.default,
        deadline: performance.now() + SEARCH_TIME_MS,
      };
      // Ids that no object can have count as unknown.
      const isNone =
        (query.conversation_id !== undefined && conversationId === undefined) ||
        (query.channel_id !== undefined && !isUuid(query.channel_id));
      const pages = {
        messages: async () => {
          const page = await find("messages", request);
          return { ...page, items: page.items.map(({ object, highlight }) => ({ message: object, highlight })) };
        },
        users: async () => {
          const page = await find("users", request);
          return { ...page, items: page.items.map(({ object, highlight }) => ({ user: object, highlight })) };
        },
        conversations: async () => {
          const page = await find("conversations", request);
          const items = page.items.map(async ({ object, highlight }) => ({
            conversation: await toApiConversation(directory, account, object),
            highlight,
          }));
          return { ...page, items: await Promise.all(items) };
        },
      };
      const results: { -readonly [K in keyof SearchResults]: SearchResults[K] } = {};
      const partial: SearchKind[] = [];
      for (const kind of kinds) {
        const page = isNone ? { items: [], next: undefined, isPartial: false } : await pages[kind]();
        Object.assign(results, { [kind]: page.items });
        if (page.isPartial) partial.push(kind);
        if (page.next && kinds.length === 1) results.next = cursorText(page.next);
      }
      return { ...results, ...(partial.length > 0 && { partial }) };
    },
  });
