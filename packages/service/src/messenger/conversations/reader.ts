import type { Message, MessengerConversation, MessengerMessage } from "@parley/contract";
import type { Db } from "@parley/database";
import type { ThreadStore } from "../../messaging/threads/store.ts";
import { isShownToVisitor, type MessengerShapes } from "../shapes/message.ts";
import { visitorConversationStore, type VisitorConversationRow } from "./store.ts";

interface ConversationReaderDeps {
  readonly reads: Db;
  readonly thread: ThreadStore;
  readonly shapes: MessengerShapes;
}

/** A part of a conversation's messages, beside a message or at its end. */
interface PartQuery {
  readonly accountId: number;
  readonly conversationId: string;
  readonly side: "before" | "after";
  /** Id of the message beside which the part is. Absent: the end of the conversation. */
  readonly anchor: string | undefined;
  readonly limit: number;
}

/** Messages as a visitor sees them, the oldest first. */
interface ThreadPart {
  readonly messages: readonly MessengerMessage[];
  /** Whether there are further messages on the side of the query. */
  readonly hasMore: boolean;
}

/** Messages of one query, if the first query did not find enough that a visitor sees. */
const LONG_READ_MESSAGES = 200;

const parse = (texts: string | null): Message[] => JSON.parse(`[${texts ?? ""}]`) as Message[];

/** Reads conversations as their visitor sees them. */
export function createConversationReader({ reads, thread, shapes }: ConversationReaderDeps) {
  /** -> undefined if the conversation has no such message, or none of that id that visitors see */
  const part = async ({
    accountId,
    conversationId,
    side,
    anchor,
    limit,
  }: PartQuery): Promise<ThreadPart | undefined> => {
    const seen: Message[] = [];
    let [from, size] = [anchor, limit + 1];
    for (;;) {
      const sizes = side === "before" ? { older: size, newer: 0 } : { older: 0, newer: size };
      const found = await thread.read({ accountId, conversationId, anchor: from, ...sizes });
      if (typeof found === "string") return undefined;
      if (from === anchor && found.anchor !== null && !parse(found.anchor).every(isShownToVisitor)) return undefined;
      const { texts, hasMore } = side === "before" ? found.older : found.newer;
      const read = parse(texts);
      const shown = read.filter(isShownToVisitor);
      if (side === "before") seen.unshift(...shown);
      else seen.push(...shown);
      from = (side === "before" ? read.at(0) : read.at(-1))?.id;
      if (seen.length > limit || !hasMore || from === undefined) break;
      size = LONG_READ_MESSAGES;
    }
    const page = side === "before" ? seen.slice(-limit) : seen.slice(0, limit);
    return { messages: await shapes.messages(accountId, page), hasMore: seen.length > limit };
  };

  const shapeOf = async (accountId: number, row: VisitorConversationRow): Promise<MessengerConversation> => {
    const read = parse(row.texts);
    const last = read.findLast(isShownToVisitor);
    const last_message = last
      ? await shapes.message(accountId, last)
      : // Many notes in a row hide it.
        (await part({ accountId, conversationId: row.id, side: "before", anchor: undefined, limit: 1 }))?.messages[0];
    const unread = read.slice(read.length - row.unread).filter(isShownToVisitor);
    return {
      id: row.id,
      topic_id: row.channel_id,
      status: row.status,
      is_latest: row.is_latest,
      created_time: row.created_time.toISOString(),
      unread_count: unread.filter(({ actor_type }) => actor_type !== "user").length,
      ...(row.agent_read_time && { agent_read_time: row.agent_read_time.toISOString() }),
      ...(row.assigned_agent_id !== null && { agent: await shapes.agent(accountId, row.assigned_agent_id) }),
      interaction_id: row.interaction_id,
      is_rated: row.is_rated,
      ...(last_message && { last_message }),
    };
  };

  return {
    /** The newest conversations of a user, the newest first. */
    list: async (accountId: number, userId: string): Promise<MessengerConversation[]> => {
      const rows = await visitorConversationStore.ofUser(reads, accountId, userId);
      return Promise.all(rows.map((row) => shapeOf(accountId, row)));
    },
    /** @shape db: a transaction whose changes are to be seen -> undefined for an unknown id */
    one: async (
      accountId: number,
      conversationId: string,
      db: Db = reads,
    ): Promise<MessengerConversation | undefined> => {
      const row = await visitorConversationStore.one(db, accountId, conversationId);
      return row && shapeOf(accountId, row);
    },
    part,
    /** -> a message that its visitor sees; undefined for an unknown id and for other messages @shape id: a UUID */
    message: async (accountId: number, conversationId: string, id: string): Promise<Message | undefined> => {
      const found = await thread.read({ accountId, conversationId, anchor: id, older: 0, newer: 0 });
      return typeof found === "string" ? undefined : parse(found.anchor).find(isShownToVisitor);
    },
  };
}
export type ConversationReader = ReturnType<typeof createConversationReader>;
