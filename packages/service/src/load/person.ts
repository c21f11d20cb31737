import type { User } from "@parley/contract";
import type { Ports } from "../ports.ts";
import { newUser } from "../users/user.ts";
import type { Chance } from "./chance.ts";
import { FIRST_NAMES, LAST_NAMES } from "./words.ts";

/** Digits of a number that nobody has: 555-01 is for stories. */
const phoneOf = (chance: Chance): string => `+1${chance.between(200, 989)}55501${chance.between(10, 99)}`;

/** Somebody who wrote in at that time; some left more of themselves than others. */
export const person = (chance: Chance, created: Date, ports: Ports): User => {
  const first_name = chance.pick(FIRST_NAMES);
  const last_name = chance.pick(LAST_NAMES);
  const number = chance.between(1, 999_999);
  const given = {
    ...(chance() < 0.95 && { first_name }),
    ...(chance() < 0.9 && { last_name }),
    ...(chance() < 0.8 && { email: `${first_name}.${last_name}${number}@example.com`.toLowerCase() }),
    ...(chance() < 0.6 && { phone: phoneOf(chance) }),
    ...(chance() < 0.5 && { reference_id: `customer-${number}` }),
    ...(chance() < 0.3 && { properties: [{ name: "city", value: chance.pick(["Berlin", "Lagos", "Lima", "Osaka"]) }] }),
  };
  return newUser(given, { ...ports, now: () => created });
};
