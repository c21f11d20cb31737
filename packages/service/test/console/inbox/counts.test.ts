import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { Conversation, Message } from "@parley/contract";
import fc from "fast-check";
import { inboxHarness, type InboxAgent, type InboxHarness } from "./inbox-harness.ts";

let s: InboxHarness;
let me: InboxAgent;
let other: InboxAgent;
beforeAll(async () => {
  s = await inboxHarness();
  other = await s.agent("Global", s.groups);
  me = await s.agent("Global", s.groups);
});
afterAll(() => s.close());

const PRIORITIES = ["Low", "Medium", "High", "Urgent"] as const;
const STEPS = [
  "begin",
  "ask",
  "answer",
  "assign",
  "move",
  "resolve",
  "reopen",
  "prioritise",
  "remove",
  "read",
  "unread",
] as const;
const step = fc.record({ kind: fc.constantFrom(...STEPS), which: fc.nat(99), value: fc.nat(99) });
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

/** What the test knows of a conversation besides what the API tells. */
interface Known {
  readonly id: string;
  /** Messages of the customer that the agent has read. */
  read: number;
}

const apply = async (known: Known[], { kind, which, value }: Step): Promise<void> => {
  if (kind === "begin" || known.length === 0) {
    const channel_id = s.channels[value % s.channels.length] ?? "";
    known.push({
      id: await s.begin({ channel_id, properties: { priority: PRIORITIES[value % 4] ?? "Low" } }),
      read: 0,
    });
    return;
  }
  const conversation = known[which % known.length];
  if (!conversation) return;
  const { id } = conversation;
  const refused = () => undefined;
  const asked = async () => (await messagesOf(id)).filter(({ actor_type }) => actor_type === "user").length;
  switch (kind) {
    case "ask":
      return s.ask(id);
    case "answer":
      return s.answer(id, value % 2 ? me : other);
    case "assign":
      return s.change(id, { status: "assigned", assigned_agent_id: (value % 2 ? me : other).id });
    case "move":
      return s.change(id, { assigned_group_id: s.groups[value % s.groups.length] ?? "" }).catch(refused);
    case "resolve":
      return s.change(id, { status: "resolved" }).catch(refused);
    case "reopen":
      return s.change(id, { status: "reopened" }).catch(refused);
    case "prioritise":
      return s.change(id, { properties: { priority: PRIORITIES[value % 4] ?? "Low" } });
    case "remove":
      return s.change(id, { properties: { priority: "" } }).catch(refused);
    case "read":
      conversation.read = await asked();
      await s.mark(me, id, true);
      return;
    case "unread":
      conversation.read = Math.max(0, (await asked()) - 1);
      await s.mark(me, id, false);
  }
};

const messagesOf = async (id: string): Promise<Message[]> =>
  (await s.client.messages.listMessages({ params: { conversation_id: id }, query: { items_per_page: 50 } })).messages;

/** A conversation as the API tells it. */
interface Told extends Conversation {
  readonly unread: number;
  /** Time of the first message of the customer after the last answer or resolution; undefined: nobody waits. */
  readonly waitingSince: string | undefined;
  readonly activity: string;
}

const told = async ({ id, read }: Known): Promise<Told> => {
  const conversation = await s.client.conversations.getConversation({ params: { conversation_id: id } });
  const messages = (await messagesOf(id)).toReversed();
  const isEnd = ({ actor_type, message_type, meta_data }: Message) =>
    (actor_type === "agent" && message_type === "normal") ||
    (meta_data as { isResolved?: boolean } | undefined)?.isResolved === true;
  const since = messages.slice(messages.findLastIndex(isEnd) + 1).find(({ actor_type }) => actor_type === "user");
  return {
    ...conversation,
    unread: messages.filter(({ actor_type }) => actor_type === "user").length - read,
    waitingSince: conversation.status === "resolved" ? undefined : since?.created_time,
    activity: messages.at(-1)?.created_time ?? "",
  };
};

const tally = (keys: readonly (string | undefined)[]): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const key of keys) if (key !== undefined) counts[key] = (counts[key] ?? 0) + 1;
  return counts;
};

/** Differences to the counts before the history, without those that are zero. */
const growth = (after: Record<string, number>, before: Record<string, number>) =>
  Object.fromEntries(
    Object.keys({ ...after, ...before }).flatMap((key) => {
      const by = (after[key] ?? 0) - (before[key] ?? 0);
      return by === 0 ? [] : [[key, by]];
    }),
  );

test("GET /console/api/counts 200 and lists equal what the API tells of each conversation, after any history", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 30 }), async (steps) => {
      const before = await s.counts(me);
      const known: Known[] = [];
      for (const each of steps) await apply(known, each);
      const all = await Promise.all(known.map(told));
      const after = await s.counts(me);
      const open = all.filter(({ status }) => status !== "resolved");
      const mine = open.filter(({ assigned_agent_id }) => assigned_agent_id === me.id);
      const unassigned = open.filter(({ assigned_agent_id }) => assigned_agent_id === undefined);
      const unreadOf = (conversations: readonly Told[]) => conversations.filter(({ unread }) => unread > 0).length;
      const { by_agent, by_group, by_channel, by_priority, ...numbers } = after;
      const {
        by_agent: agents,
        by_group: groups,
        by_channel: channels,
        by_priority: priorities,
        ...numbersBefore
      } = before;
      expect({
        numbers: growth(numbers, numbersBefore),
        by_agent: growth(by_agent, agents),
        by_group: growth(by_group, groups),
        by_channel: growth(by_channel, channels),
        by_priority: growth(by_priority, priorities),
      }).toEqual({
        numbers: growth(
          {
            open: open.length,
            resolved: all.length - open.length,
            mine: mine.length,
            unassigned: unassigned.length,
            unread: unreadOf([...mine, ...unassigned]),
            mine_unread: unreadOf(mine),
          },
          {},
        ),
        by_agent: tally(open.map(({ assigned_agent_id }) => assigned_agent_id)),
        by_group: tally(open.map(({ assigned_group_id }) => assigned_group_id)),
        by_channel: tally(open.map(({ channel_id }) => channel_id)),
        by_priority: tally(open.map(({ properties }) => String(properties?.["priority"] ?? "none"))),
      });
      for (const each of all) {
        const item = await s.item(me, each.conversation_id);
        expect([item.unread, item.waiting_since, item.activity_time]).toEqual([
          each.unread,
          each.waitingSince,
          each.activity,
        ]);
        const view = { user: each.user_id, status: "all" };
        expect((await s.pageOf(me, { ...view, unread: each.unread > 0 })).total).toBe(1);
        expect((await s.pageOf(me, { ...view, unread: each.unread === 0 })).total).toBe(0);
      }
    }),
    { numRuns: 12 },
  );
});
