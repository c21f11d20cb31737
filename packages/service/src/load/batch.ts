import type { User } from "@parley/contract";
import type { Ports } from "../ports.ts";
import type { Cast } from "./cast.ts";
import { chance as chanceOf, type Chance } from "./chance.ts";
import { person } from "./person.ts";
import { talk, type Talk } from "./talk.ts";

/** One transaction of a load. */
export interface Batch {
  readonly users: readonly User[];
  readonly talks: readonly Talk[];
}

/** What one batch is to hold. */
export interface BatchPlan {
  readonly index: number;
  readonly users: number;
  readonly messages: number;
  /** When its users came. */
  readonly from: Date;
  readonly to: Date;
  /** When the whole story ends. */
  readonly end: Date;
}

/** Messages of a conversation. */
const LENGTH = { least: 2, most: 10 };

/** Lengths of conversations that together have so many messages. */
export const lengthsOf = (chance: Chance, messages: number): number[] => {
  const lengths: number[] = [];
  for (let left = messages; left > 0;) {
    const length = Math.min(chance.between(LENGTH.least, LENGTH.most), left);
    lengths.push(length);
    left -= length;
  }
  return lengths;
};

const within = (chance: Chance, from: Date, to: Date): Date =>
  new Date(from.getTime() + Math.floor(chance() * (to.getTime() - from.getTime())));

/** Most come back soon after they first wrote. */
const begunOf = (chance: Chance, user: User, end: Date): Date => {
  const first = Date.parse(user.created_time);
  return new Date(first + Math.floor(chance() ** 3 * (end.getTime() - first)));
};

/** The numbers that its conversations need, for `makeBatch`: known beforehand, since they are drawn from the database. */
export const conversationsOf = (seed: number, plan: BatchPlan): number =>
  lengthsOf(chanceOf(seed, plan.index, 1), plan.messages).length;

/** Makes people and what they said. */
export const makeBatch = (
  seed: number,
  plan: BatchPlan,
  { cast, ports, numbers }: { readonly cast: Cast; readonly ports: Ports; readonly numbers: readonly number[] },
): Batch => {
  const chance = chanceOf(seed, plan.index, 0);
  const users = Array.from({ length: plan.users }, () => person(chance, within(chance, plan.from, plan.to), ports));
  const talks = lengthsOf(chanceOf(seed, plan.index, 1), plan.messages).map((length, index) => {
    const user = chance.pick(users);
    const begun = begunOf(chance, user, plan.end);
    const number = numbers[index] ?? 0;
    return talk({ chance, cast, newId: ports.newId, number, user_id: user.id, begun, end: plan.end, length });
  });
  return { users, talks };
};
