import { CALLS_PER_HOUR } from "@parley/contract";
import type { CallerAccount } from "../../http/route-handlers.ts";
import type { Ports } from "../../base/environment/ports.ts";
import type { AllowanceStore } from "./store.ts";

/** @units milliseconds */
export const HOUR_MS = 3_600_000;

/** Start of the hour that contains a moment. @units epoch ms */
export const hourWindowOf = (now: Date): number => Math.floor(now.getTime() / HOUR_MS) * HOUR_MS;

/** Time until the end of a window, at least one second. @units seconds */
export const secondsLeftInHour = (window: number, now: Date): number =>
  Math.max(1, Math.ceil((window + HOUR_MS - now.getTime()) / 1000));

/** The values of the three rate-limit headers. */
export interface RateLimitState {
  /** False: this call exceeds the limit. */
  readonly allowed: boolean;
  readonly limit: number;
  readonly remaining: number;
  /** @units seconds */
  readonly reset: number;
  /** The period that the limit applies to; an hour when absent. */
  readonly window?: { readonly name: string; readonly seconds: number };
}

/** Calls that this process has leased for an account and hour. */
interface Lease {
  readonly window: number;
  /** Calls that are left in the lease. */
  left: number;
  /** Calls leased by all processes, as of the last query. */
  used: number;
  /** The limit that the calls were leased at. Calls of a higher limit than the account's present one are not used. */
  leasedAt: number;
  /** The limit at which the calls were used up. Another limit leads to a new query. */
  spentAt: number;
  /** Until then a spent limit leads to no new query. @units milliseconds of the monotonic clock */
  spentUntilMs: number;
  /** `left` as of the last call of `returnIdle`. */
  leftBefore: number;
  /** Size of the next block to lease. */
  block: number;
  /** Time of the last lease. @units epoch ms */
  taken: number;
  /** The query in progress; one at a time. */
  asking?: Promise<void> | undefined;
}

/** The largest block is the limit divided by this number. Fewer, larger blocks would make the headers of several processes less exact. */
const BLOCKS_PER_LIMIT_MIN = 50;
/**
 * The first block is the limit divided by this number. Blocks grow as long as they are used up quickly. The unused rest of a block is lost
 * when its process crashes.
 */
const BLOCKS_PER_LIMIT_MAX = 1_000;
/** A block that is used up sooner is followed by a larger block. @units milliseconds */
const BLOCK_LIFETIME_MS_MIN = 1_000;
/** While a limit is spent, calls that other processes give back are asked for no more often. @units milliseconds */
const SPENT_CHECK_INTERVAL_MS = 1_000;
/** How often blocks are given back of which no call was used since the last time. @units milliseconds */
export const IDLE_LEASE_CHECK_INTERVAL_MS = 10_000;

/** Calls per hour of an account: its own number, or else that of the settings, or else that of its plan. @spec Limits */
export const callsPerHourOf = (
  account: Pick<CallerAccount, "calls_per_hour" | "plan_type">,
  callsPerHour?: number,
): number => account.calls_per_hour ?? callsPerHour ?? CALLS_PER_HOUR[account.plan_type];

/** Counts the API calls of accounts. */
export interface CallAllowance {
  /** Counts one call. Returns a promise only if the database is queried. */
  readonly count: (account: CallerAccount) => RateLimitState | Promise<RateLimitState>;
  /** Returns the calls that were not used since the last time, so that other processes can use them. */
  readonly returnIdle: () => Promise<void>;
  /** Returns unused calls. */
  readonly end: () => Promise<void>;
}

/**
 * Counts calls per account and hour. Processes lease blocks of calls from one table, so that together they never exceed the limit, and
 * most calls need no query. A process that sees a lower limit gives back what it leased at the higher one before it counts the next call.
 * @spec Limits
 * @assumed The timeframe is the clock's hour. A changed limit applies to the running hour, within a second in every process.
 */
export function createCallAllowance({
  store,
  now,
  monotonicMs,
  callsPerHour,
}: { store: AllowanceStore; callsPerHour?: number | undefined } & Pick<Ports, "now" | "monotonicMs">): CallAllowance {
  const leases = new Map<number, Lease>();

  const leaseOf = (account: CallerAccount, window: number): Lease => {
    const present = leases.get(account.id);
    if (present?.window === window) return present;
    const created: Lease = {
      window,
      left: 0,
      used: 0,
      leasedAt: 0,
      spentAt: 0,
      spentUntilMs: 0,
      leftBefore: 0,
      block: 0,
      taken: -Infinity,
    };
    leases.set(account.id, created);
    return created;
  };

  /** Gives the rest of a block back. */
  const giveBack = async (accountId: number, lease: Lease): Promise<void> => {
    const { left } = lease;
    lease.left = 0;
    lease.leftBefore = 0;
    if (left > 0) await store.giveBack(accountId, new Date(lease.window), left);
  };

  const take = async (account: CallerAccount, lease: Lease, limit: number): Promise<void> => {
    const window = new Date(lease.window);
    await giveBack(account.id, lease);
    // The previous hour is kept: a process with a slower clock may still count in it.
    if (lease.used === 0) await store.deleteBefore(account.id, new Date(lease.window - HOUR_MS));
    const [min, max] = [BLOCKS_PER_LIMIT_MAX, BLOCKS_PER_LIMIT_MIN].map((parts) =>
      Math.max(1, Math.floor(limit / parts)),
    ) as [number, number];
    const time = now().getTime();
    const wanted = Math.floor(lease.block * (time - lease.taken < BLOCK_LIFETIME_MS_MIN ? 2 : 0.5));
    const block = Math.min(max, Math.max(min, wanted));
    lease.block = block;
    lease.taken = time;
    for (const calls of block > 1 ? [block, 1] : [1]) {
      const row = await store.lease(account.id, window, calls, limit);
      if (!row) continue;
      lease.left += calls;
      lease.used = row.used;
      lease.leasedAt = limit;
      return;
    }
    lease.used = limit;
    lease.spentAt = limit;
    lease.spentUntilMs = monotonicMs() + SPENT_CHECK_INTERVAL_MS;
  };

  const stateOf = (lease: Lease, limit: number, allowed: boolean): RateLimitState => ({
    allowed,
    limit,
    remaining: Math.max(0, limit - lease.used + lease.left),
    reset: secondsLeftInHour(lease.window, now()),
  });

  /** Whether a call can be counted, or refused, without a query. */
  const isDecided = (lease: Lease, limit: number): boolean =>
    lease.left > 0 ? lease.leasedAt <= limit : lease.spentAt === limit && monotonicMs() < lease.spentUntilMs;

  const waitFor = async (account: CallerAccount, lease: Lease, limit: number): Promise<RateLimitState> => {
    while (!isDecided(lease, limit)) {
      lease.asking ??= take(account, lease, limit).finally(() => (lease.asking = undefined));
      await lease.asking;
    }
    return countOne(lease, limit);
  };

  const countOne = (lease: Lease, limit: number): RateLimitState => {
    if (lease.left === 0) return stateOf(lease, limit, false);
    lease.left--;
    return stateOf(lease, limit, true);
  };

  return {
    count(account) {
      const limit = callsPerHourOf(account, callsPerHour);
      const lease = leaseOf(account, hourWindowOf(now()));
      return isDecided(lease, limit) ? countOne(lease, limit) : waitFor(account, lease, limit);
    },
    async returnIdle() {
      const idle = [...leases].filter(([, { left, leftBefore }]) => left > 0 && left === leftBefore);
      for (const lease of leases.values()) lease.leftBefore = lease.left;
      await Promise.all(
        idle.map(([id, lease]) => (lease.asking ??= giveBack(id, lease).finally(() => (lease.asking = undefined)))),
      );
    },
    async end() {
      const all = [...leases].filter(([, { left }]) => left > 0);
      leases.clear();
      await Promise.all(all.map(([id, { window, left }]) => store.giveBack(id, new Date(window), left)));
    },
  };
}
