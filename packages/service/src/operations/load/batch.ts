import type { User } from "@parley/contract";
import { interactionIdFrom } from "../../messaging/conversations/conversation.ts";
import { INITIAL_STATE, type ConversationState } from "../../messaging/conversations/transitions.ts";
import { channelNumber } from "../../messaging/directory/channel.ts";
import type { Ports } from "../../base/environment/ports.ts";
import { messageJson } from "../../messaging/conversations/message-parts.ts";
import type { TargetAccount } from "./account.ts";
import {
  ADDITIONS,
  QUESTIONS,
  REPLIES,
  createSeededRandom,
  generatePerson,
  type SeededRandom,
} from "./people-and-words.ts";

/** A generated conversation with its messages, as rows. */
interface ConversationScript extends ConversationState {
  readonly id: string;
  readonly number: number;
  readonly user_id: string;
  readonly channel_id: string;
  readonly created_time: string;
  readonly updated_time: string;
  readonly interaction_id: string;
  readonly messages: readonly { readonly id: string; readonly created_time: string; readonly body: string }[];
}

interface ScriptOptions {
  readonly random: SeededRandom;
  readonly account: TargetAccount;
  readonly newId: () => string;
  readonly number: number;
  readonly user_id: string;
  readonly startedAt: Date;
  /** Latest time of its messages. */
  readonly end: Date;
  /** Number of messages. */
  readonly length: number;
}

type Actor = "user" | "agent" | "system";

/** Age from which most conversations are resolved. @units milliseconds */
const RESOLVED_AGE_MS = 3 * 24 * 60 * 60 * 1_000;
/** Time between two messages. @units milliseconds */
const MESSAGE_GAP_MS = { min: 15_000, max: 20 * 60_000 };
const RESOLUTION = { content: "The conversation was resolved.", meta_data: { isResolved: true } };

/** Old conversations are mostly resolved, recent conversations in any state. */
const statusOf = (random: SeededRandom, age: number, length: number): ConversationState["status"] => {
  const [newShare, assignedShare] = age > RESOLVED_AGE_MS ? [0.02, 0.08] : [0.3, 0.75];
  const draw = random();
  return draw < newShare ? "new" : draw < assignedShare || length < 2 ? "assigned" : "resolved";
};

const actorOf = (random: SeededRandom, place: number, length: number, status: ConversationState["status"]): Actor => {
  if (status === "resolved" && place === length - 1) return "system";
  return place === 0 || status === "new" || random() < 0.45 ? "user" : "agent";
};

const textOf = (random: SeededRandom, actor: Actor, place: number): string => {
  const texts = actor === "agent" ? REPLIES : place === 0 ? QUESTIONS : ADDITIONS;
  return random.pick(texts).replace("#", String(random.between(10_000, 99_999)));
};

/** Generates a conversation: a customer asks, an agent answers, and most conversations are resolved. */
const writeConversationScript = ({
  random,
  account,
  newId,
  number,
  user_id,
  startedAt,
  end,
  length,
}: ScriptOptions): ConversationScript => {
  const [id, channel_id] = [newId(), random.pick(account.channels)];
  const interaction_id = interactionIdFrom(number, startedAt);
  const age = end.getTime() - startedAt.getTime();
  const status = account.agents.length === 0 ? "new" : statusOf(random, age, length);
  const agent = status === "new" ? undefined : random.pick(account.agents);
  let time = startedAt;
  const messages = Array.from({ length }, (_, place) => {
    if (place > 0)
      time = new Date(Math.min(time.getTime() + random.between(MESSAGE_GAP_MS.min, MESSAGE_GAP_MS.max), end.getTime()));
    const created_time = time.toISOString();
    const actor_type = actorOf(random, place, length, status);
    const content = actor_type === "system" ? RESOLUTION.content : textOf(random, actor_type, place);
    const message_id = newId();
    const body = messageJson({
      id: message_id,
      created_time,
      channel_id,
      conversation_id: id,
      interaction_id,
      freshchat_conversation_id: String(number),
      freshchat_channel_id: channelNumber(channel_id),
      user_id,
      app_id: account.appId,
      actor_type,
      ...(actor_type === "user" && { actor_id: user_id }),
      ...(actor_type === "agent" && { actor_id: agent?.id, org_actor_id: agent?.org_id }),
      message_type: actor_type === "system" ? "system" : "normal",
      message_parts: [{ text: { content } }],
      ...(actor_type === "system" && { meta_data: RESOLUTION.meta_data }),
      message_source: actor_type === "system" ? "system" : "api",
      restrictResponse: false,
      botsPrivateNote: false,
      isBotsInput: false,
    });
    return { id: message_id, created_time, body };
  });
  return {
    ...INITIAL_STATE,
    id,
    number,
    user_id,
    channel_id,
    created_time: startedAt.toISOString(),
    updated_time: time.toISOString(),
    interaction_id,
    messages,
    status,
    assigned_agent_id: agent?.id ?? null,
    assigned_group_id: agent && agent.groups.length > 0 ? random.pick(agent.groups) : null,
  };
};

/** The rows of one transaction. */
export interface LoadBatch {
  readonly users: readonly User[];
  readonly conversations: readonly ConversationScript[];
}

/** The size and period of a batch. */
export interface LoadBatchPlan {
  readonly index: number;
  readonly users: number;
  readonly messages: number;
  /** Its users are created in this period. */
  readonly from: Date;
  readonly to: Date;
  /** Latest time of any generated row. */
  readonly end: Date;
}

/** Messages per conversation. */
const MESSAGES_PER_CONVERSATION = { min: 2, max: 10 };

/** Random conversation lengths that add up to a number of messages. */
const conversationLengthsOf = (random: SeededRandom, messages: number): number[] => {
  const lengths: number[] = [];
  for (let left = messages; left > 0;) {
    const length = Math.min(random.between(MESSAGES_PER_CONVERSATION.min, MESSAGES_PER_CONVERSATION.max), left);
    lengths.push(length);
    left -= length;
  }
  return lengths;
};

const within = (random: SeededRandom, from: Date, to: Date): Date =>
  new Date(from.getTime() + Math.floor(random() * (to.getTime() - from.getTime())));

/** Random start of a conversation. Most conversations start soon after the creation of their user. */
const randomStartOf = (random: SeededRandom, user: User, end: Date): Date => {
  const first = Date.parse(user.created_time);
  return new Date(first + Math.floor(random() ** 3 * (end.getTime() - first)));
};

/** The number of conversations that `makeBatch` will make. It is needed in advance to draw their numbers from the database. */
export const conversationsOf = (seed: number, plan: LoadBatchPlan): number =>
  conversationLengthsOf(createSeededRandom(seed, plan.index, 1), plan.messages).length;

/** Generates users and their conversations. */
export const makeBatch = (
  seed: number,
  plan: LoadBatchPlan,
  {
    account,
    ports,
    numbers,
  }: { readonly account: TargetAccount; readonly ports: Ports; readonly numbers: readonly number[] },
): LoadBatch => {
  const random = createSeededRandom(seed, plan.index, 0);
  const users = Array.from({ length: plan.users }, () =>
    generatePerson(random, within(random, plan.from, plan.to), ports),
  );
  const conversations = conversationLengthsOf(createSeededRandom(seed, plan.index, 1), plan.messages).map(
    (length, index) => {
      const user = random.pick(users);
      const startedAt = randomStartOf(random, user, plan.end);
      const number = numbers[index] ?? 0;
      return writeConversationScript({
        random,
        account,
        newId: ports.newId,
        number,
        user_id: user.id,
        startedAt,
        end: plan.end,
        length,
      });
    },
  );
  return { users, conversations };
};
