import type { User } from "@parley/contract";
import type { Ports } from "../environment/ports.ts";
import type { LoadAccount } from "./account.ts";
import { createSeededRandom, type SeededRandom, generatePerson } from "./people-and-words.ts";
import { writeConversationScript, type ConversationScript } from "./conversation-script.ts";

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
  }: { readonly account: LoadAccount; readonly ports: Ports; readonly numbers: readonly number[] },
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
