import { statement } from "@parley/database";
import type { ParleyClient } from "@parley/client";
import type { Message, SearchHighlight } from "@parley/contract";
import { SERVICE_SCHEMA } from "../../../src/index.ts";
import {
  conversationsHarness,
  textParts,
  type ConversationsHarness,
} from "../../messaging/conversations/conversations-harness.ts";
import type { ServiceHarnessOptions } from "../../service-harness.ts";
import { waitUntil } from "../../../../../test/support/wait-until.ts";

/** An index whose chunks are so small that the tests have several. */
export const SMALL_CHUNKS = { chunkSize: 8, batch: 8, bulkQuietMs: 0, pauses: { log: 0, backlog: 0, busy: 0 } };

const IS_INDEXED = statement(
  "",
  `select (select seq from projection_cursors where name = 'search') >= (select coalesce(max(seq), 0) from outbox)
          and not exists (select from search_queue)
          and not exists (select from search_backfill where not is_done) as done`,
);

/** -> the text of a highlight with `[brackets]` around the matches */
export const marked = (highlight: SearchHighlight): string =>
  highlight.map(({ text, is_match }) => (is_match ? `[${text}]` : text)).join("");

/** Resolves when everything that was committed before is in the search index. */
export const indexed = async ({ database }: Pick<ConversationsHarness, "database">): Promise<void> => {
  const pool = database.pool(SERVICE_SCHEMA, { max: 1 });
  try {
    await waitUntil(async () => (await pool.one<{ done: boolean }>(IS_INDEXED, []))?.done === true);
  } finally {
    await pool.end();
  }
};

export interface SearchHarness extends ConversationsHarness {
  /** Resolves when everything that was committed before is in the index. */
  indexed(): Promise<void>;
  /** Sends a message of a bot. */
  say(conversationId: string, text: string): Promise<Message>;
  /** -> the texts of the found messages */
  texts(query: Parameters<ParleyClient["search"]["search"]>[0]["query"]): Promise<string[]>;
}

export const textOf = ({ message_parts }: Message): string =>
  message_parts.flatMap(({ text }) => text?.content ?? []).join(" | ");

export const searchHarness = async (options: ServiceHarnessOptions = {}): Promise<SearchHarness> => {
  const s = await conversationsHarness({ searchRules: SMALL_CHUNKS, ...options });
  return {
    ...s,
    indexed: () => indexed(s),
    say: (id, text) => s.createMessage(id, { message_parts: textParts(text) }),
    texts: async (query) => {
      const { messages = [] } = await s.client.search.search({ query: { kinds: "messages", ...query } });
      return messages.map(({ message }) => textOf(message));
    },
  };
};
