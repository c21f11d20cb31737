import { keptBriefly } from "../accounts/kept-briefly.ts";
import type { Answered } from "../conversations/answered.ts";
import { isUuid } from "../http/uuid.ts";
import type { WaitingStore } from "./db/waiting.ts";
import { phoneOf } from "./phone.ts";
import { reconstructed } from "./reconstruction.ts";

/** @assumed A user who writes after a month answers no template message any more. @units milliseconds */
const ANSWERABLE = 30 * 24 * 60 * 60 * 1_000;
/** @assumed So many are put before a user's message, the newest ones; older ones stay out. */
const MOST = 5;

export interface Waiting extends Answered {
  /** The account has messages that wait: what is kept may say otherwise. */
  begins(accountId: number): void;
}

/** An account without such messages pays one question a second, and nothing for a message. */
export const waiting = ({ store, now }: { readonly store: WaitingStore; readonly now: () => Date }): Waiting => {
  const since = () => new Date(now().getTime() - ANSWERABLE);
  const isAny = keptBriefly((accountId) => store.isAny(accountId, since()));
  const done = async (ids: readonly string[]) => {
    // One that is not said to be done is found in its conversation when it is asked for again.
    await store.done(ids).catch(() => undefined);
  };

  return {
    begins: (accountId) => isAny.forget(accountId),
    async waiting(accountId, userId) {
      // What is no id names nobody: that the message is refused is said elsewhere.
      if (!isUuid(userId) || !(await isAny.of(accountId))) return [];
      const phone = phoneOf((await store.phone(accountId, userId)) ?? "");
      if (phone === undefined) return [];
      const found = await store.find(accountId, phone, since());
      if (found.length > MOST) await done(found.slice(MOST).map(({ id }) => id));
      return found.slice(0, MOST).reverse().map(reconstructed);
    },
    done,
  };
};
