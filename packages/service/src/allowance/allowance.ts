import { CALLS_PER_HOUR } from "@parley/contract";
import type { CallerAccount } from "../http/route-handlers.ts";
import type { Ports } from "../environment/ports.ts";
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
  /** The limit at which the calls were used up. A higher limit leads to a new query. */
  spentAt: number;
  /** Size of the next block to lease. */
  block: number;
  /** Time of the last lease. @units epoch ms */
  taken: number;
  /** The query in progress; one at a time. */
  asking?: Promise<void> | undefined;
}

/** The largest block is the limit divided by this number. Fewer, larger blocks would make the headers of several processes less exact. */
const MIN_BLOCKS_PER_LIMIT = 50;
/**
 * The first block is the limit divided by this number. Blocks grow as long as they are used up quickly. The unused rest of a block is lost
 * when its process crashes.
 */
const MAX_BLOCKS_PER_LIMIT = 1_000;
/** A block that is used up sooner is followed by a larger one. @units milliseconds */
const MIN_BLOCK_LIFETIME_MS = 1_000;

/** Calls per hour of an account: its own number, or else that of the settings, or else that of its plan. @spec Limits */
export const callsPerHourOf = (
  account: Pick<CallerAccount, "calls_per_hour" | "plan_type">,
  callsPerHour?: number,
): number => account.calls_per_hour ?? callsPerHour ?? CALLS_PER_HOUR[account.plan_type];

/** Counts the API calls of accounts. */
export interface CallAllowance {
  /** Counts one call. Returns a promise only if the database is queried. */
  readonly count: (account: CallerAccount) => RateLimitState | Promise<RateLimitState>;
  /** Returns unused calls. */
  readonly end: () => Promise<void>;
}

/**
 * Counts calls per account and hour. Processes lease blocks of calls from one table, so that together they never exceed the limit, and
 * most calls need no query.
 * @spec Limits
 * @assumed The timeframe is the clock's hour.
 */
export function createCallAllowance({
  store,
  now,
  callsPerHour,
}: { store: AllowanceStore; callsPerHour?: number | undefined } & Pick<Ports, "now">): CallAllowance {
  const leases = new Map<number, Lease>();

  const leaseOf = (account: CallerAccount, window: number): Lease => {
    const present = leases.get(account.id);
    if (present?.window === window) return present;
    const created: Lease = { window, left: 0, used: 0, spentAt: 0, block: 0, taken: -Infinity };
    leases.set(account.id, created);
    return created;
  };

  const take = async (account: CallerAccount, lease: Lease, limit: number): Promise<void> => {
    const window = new Date(lease.window);
    // The previous hour is kept: a process with a slower clock may still count in it.
    if (lease.used === 0) await store.deleteBefore(account.id, new Date(lease.window - HOUR_MS));
    const [min, max] = [MAX_BLOCKS_PER_LIMIT, MIN_BLOCKS_PER_LIMIT].map((parts) =>
      Math.max(1, Math.floor(limit / parts)),
    ) as [number, number];
    const time = now().getTime();
    const wanted = Math.floor(lease.block * (time - lease.taken < MIN_BLOCK_LIFETIME_MS ? 2 : 0.5));
    const block = Math.min(max, Math.max(min, wanted));
    lease.block = block;
    lease.taken = time;
    for (const calls of block > 1 ? [block, 1] : [1]) {
      const row = await store.lease(account.id, window, calls, limit);
      if (!row) continue;
      lease.left += calls;
      lease.used = row.used;
      return;
    }
    lease.used = limit;
    lease.spentAt = limit;
  };

  const stateOf = (lease: Lease, limit: number, allowed: boolean): RateLimitState => ({
    allowed,
    limit,
    remaining: Math.max(0, limit - lease.used + lease.left),
    reset: secondsLeftInHour(lease.window, now()),
  });

  const waitFor = async (account: CallerAccount, lease: Lease, limit: number): Promise<RateLimitState> => {
    while (lease.left === 0 && lease.spentAt !== limit) {
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
      return lease.left > 0 || lease.spentAt === limit ? countOne(lease, limit) : waitFor(account, lease, limit);
    },
    async end() {
      const all = [...leases].filter(([, { left }]) => left > 0);
      leases.clear();
      await Promise.all(all.map(([id, { window, left }]) => store.giveBack(id, new Date(window), left)));
    },
  };
}
