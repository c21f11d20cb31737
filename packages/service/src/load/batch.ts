import type { User } from "@parley/contract";
import type { Ports } from "../environment/ports.ts";
import type { LoadAccount } from "./account.ts";
import { createSeededRandom, type SeededRandom } from "./random.ts";
import { generatePerson } from "./people-and-words.ts";
import { writeConversationScript, type ConversationScript } from "./conversation-script.ts";

/** The rows of one transaction. */
export interface LoadBatch {
  readonly users: readonly User[];
  readonly talks: readonly ConversationScript[];
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
const LENGTH = { least: 2, most: 10 };

/** Random conversation lengths that add up to a number of messages. */
const lengthsOf = (chance: SeededRandom, messages: number): number[] => {
  const lengths: number[] = [];
  for (let left = messages; left > 0;) {
    const length = Math.min(chance.between(LENGTH.least, LENGTH.most), left);
    lengths.push(length);
    left -= length;
  }
  return lengths;
};

const within = (chance: SeededRandom, from: Date, to: Date): Date =>
  new Date(from.getTime() + Math.floor(chance() * (to.getTime() - from.getTime())));

/** Random start of a conversation. Most conversations start soon after the creation of their user. */
const begunOf = (chance: SeededRandom, user: User, end: Date): Date => {
  const first = Date.parse(user.created_time);
  return new Date(first + Math.floor(chance() ** 3 * (end.getTime() - first)));
};

/** The number of conversations that `makeBatch` will make. It is needed in advance to draw their numbers from the database. */
export const conversationsOf = (seed: number, plan: LoadBatchPlan): number =>
  lengthsOf(createSeededRandom(seed, plan.index, 1), plan.messages).length;

/** Generates users and their conversations. */
export const makeBatch = (
  seed: number,
  plan: LoadBatchPlan,
  { cast, ports, numbers }: { readonly cast: LoadAccount; readonly ports: Ports; readonly numbers: readonly number[] },
): LoadBatch => {
  const chance = createSeededRandom(seed, plan.index, 0);
  const users = Array.from({ length: plan.users }, () =>
    generatePerson(chance, within(chance, plan.from, plan.to), ports),
  );
  const talks = lengthsOf(createSeededRandom(seed, plan.index, 1), plan.messages).map((length, index) => {
    const user = chance.pick(users);
    const begun = begunOf(chance, user, plan.end);
    const number = numbers[index] ?? 0;
    return writeConversationScript({
      chance,
      cast,
      newId: ports.newId,
      number,
      user_id: user.id,
      begun,
      end: plan.end,
      length,
    });
  });
  return { users, talks };
};
