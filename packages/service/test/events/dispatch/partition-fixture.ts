import { statement } from "@parley/database";
import { SERVICE_SCHEMA } from "../../../src/index.ts";
import { conversationFixture, type ConversationFixture } from "../../messaging/conversations/conversation-fixture.ts";
import type { ServiceHarness } from "../../service-harness.ts";

const PARTITION = statement("", "select partition from outbox where entity_id = $1 limit 1");

/** Two conversations whose events share a partition of the log: the position up to which a subscriber has received is one for both. */
export const conversationsOfOnePartition = async (
  service: Pick<ServiceHarness, "client" | "database">,
  channel: string,
): Promise<readonly [ConversationFixture, ConversationFixture]> => {
  const pool = service.database.pool(SERVICE_SCHEMA, { max: 1 });
  const first = new Map<number, ConversationFixture>();
  try {
    for (;;) {
      const conversation = await conversationFixture(service, channel);
      const { partition } = (await pool.one<{ partition: number }>(PARTITION, [conversation.conversationId])) ?? {};
      if (partition === undefined) throw new Error("the conversation has no event");
      const present = first.get(partition);
      if (present) return [present, conversation];
      first.set(partition, conversation);
    }
  } finally {
    await pool.end();
  }
};
