import { createHash } from "node:crypto";
import { refuse, TOO_MANY_SIGN_INS } from "@parley/contract";
import { statement, type Db } from "@parley/database";
import type { Ports } from "../../../base/environment/ports.ts";
import { clientNetworkOf } from "../../allowance/client-network.ts";

/** @units milliseconds */
const WINDOW_MS = 15 * 60_000;

/**
 * Failed attempts in a quarter of an hour.
 * @assumed One address serves many agents of an office. The limit of an agent bounds guesses from any number of addresses to 1,920 a day.
 */
export const SIGN_IN_ATTEMPTS = { address: 100, agent: 20 } as const;
/** Requests for a new password for one e-mail address in a quarter of an hour, so that nobody's mailbox is filled. @assumed */
export const RESET_REQUESTS = 3;

const COUNT = statement(
  "count_sign_in_attempts",
  `insert into sign_in_attempts as a (key, window_start, attempts)
   select key, $2, 1 from unnest($1::bytea[]) as k (key) order by key
       on conflict (key, window_start) do update set attempts = a.attempts + 1
   returning key, attempts`,
);
const TAKE_BACK = statement(
  "take_back_sign_in_attempts",
  `update sign_in_attempts set attempts = attempts - 1 where key = any($1::bytea[]) and window_start = $2 and attempts > 0`,
);
const SWEEP = statement("", `delete from sign_in_attempts where window_start < $1`);

const keyOf = (...parts: readonly string[]): Buffer => createHash("sha256").update(JSON.stringify(parts)).digest();

/** An attempt that was counted. */
interface CountedAttempt {
  /** The attempt succeeded: it does not count. */
  readonly takeBack: () => Promise<void>;
}

/**
 * Limits failed attempts to sign in, by IP address and by the guessed account or code, across all processes. An attempt is counted before it is
 * checked, so that simultaneous attempts can't exceed the limit.
 */
export const createSignInThrottle = ({ db, now }: { readonly db: Db } & Pick<Ports, "now">) => ({
  /**
   * @shape guessed: identifies the secret that is guessed, whether it exists or not; undefined: nothing but the address is limited
   * @errors TOO_MANY_SIGN_INS
   */
  async count(
    address: string,
    guessed?: readonly string[],
    limit: number = SIGN_IN_ATTEMPTS.agent,
  ): Promise<CountedAttempt> {
    const time = now().getTime();
    const window = new Date(Math.floor(time / WINDOW_MS) * WINDOW_MS);
    const limits = new Map([
      [keyOf("address", clientNetworkOf(address)).toString("hex"), SIGN_IN_ATTEMPTS.address],
      ...(guessed ? [[keyOf("agent", ...guessed).toString("hex"), limit] as const] : []),
    ]);
    const keys = [...limits.keys()].map((key) => Buffer.from(key, "hex"));
    const counted = await db.rows<{ key: Buffer; attempts: number }>(COUNT, [keys, window]);
    if (counted.some(({ key, attempts }) => attempts > (limits.get(key.toString("hex")) ?? 0)))
      refuse(TOO_MANY_SIGN_INS, undefined, Math.max(1, Math.ceil((window.getTime() + WINDOW_MS - time) / 1_000)));
    return { takeBack: async () => void (await db.rows(TAKE_BACK, [keys, window])) };
  },
  /**
   * Counts the use of something that can be used once, and within two windows of its beginning.
   * -> false if it was used before
   */
  async isFirst(used: readonly string[], began: Date): Promise<boolean> {
    const counted = await db.one<{ attempts: number }>(COUNT, [[keyOf("once", ...used)], began]);
    return counted?.attempts === 1;
  },
  sweep: () => db.rows(SWEEP, [new Date(now().getTime() - 2 * WINDOW_MS)]),
});
export type SignInThrottle = ReturnType<typeof createSignInThrottle>;
