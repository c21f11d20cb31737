import { CALLS_PER_HOUR } from "@parley/contract";
import type { CallerAccount } from "../http/route-handlers.ts";
import type { Ports } from "../environment/ports.ts";
import type { AllowanceStore } from "./store.ts";

/** @units milliseconds */
export const HOUR_MS = 3_600_000;

/** The clock's hour that a moment lies in. @units epoch ms of its beginning */
export const hourWindowOf = (now: Date): number => Math.floor(now.getTime() / HOUR_MS) * HOUR_MS;

/** Time until a window ends, at least one. @units seconds */
export const secondsLeftInHour = (window: number, now: Date): number =>
  Math.max(1, Math.ceil((window + HOUR_MS - now.getTime()) / 1000));

/** What the three rate-limit headers say. */
export interface RateLimitState {
  /** False: this call is one too many. */
  readonly allowed: boolean;
  readonly limit: number;
  readonly remaining: number;
  /** @units seconds */
  readonly reset: number;
}

/** One account's part of an hour in this process. */
interface Lease {
  readonly window: number;
  /** Calls that may be answered without asking the table. */
  left: number;
  /** Taken by all processes, as the table said last. */
  used: number;
  /** The limit at which no call was left for anybody; a raised one is asked for anew. */
  spentAt: number;
  /** Calls that the next request to the table asks for. */
  block: number;
  /** When the last block was taken. @units epoch ms */
  taken: number;
  /** One request to the table at a time. */
  asking?: Promise<void> | undefined;
}

/** Parts of the limit that the largest block is one of: fewer, larger blocks make the headers of several processes lag more. */
const MIN_BLOCKS_PER_LIMIT = 50;
/** Parts of the limit that the first block is one of. They grow as long as they are used up quickly: what a process that dies had taken is lost. */
const MAX_BLOCKS_PER_LIMIT = 1_000;
/** A block that lasts less than that is too small for what is asked. @units milliseconds */
const MIN_BLOCK_LIFETIME_MS = 1_000;

/** Calls that an account may make an hour: its own number, else that of the settings, else its plan's. @spec Limits */
export const callsPerHourOf = (
  account: Pick<CallerAccount, "calls_per_hour" | "plan_type">,
  callsPerHour?: number,
): number => account.calls_per_hour ?? callsPerHour ?? CALLS_PER_HOUR[account.plan_type];

/** Calls of accounts, counted. */
export interface CallAllowance {
  /** Counts one call. A promise only where the table is asked. */
  readonly count: (account: CallerAccount) => RateLimitState | Promise<RateLimitState>;
  /** Gives back what was taken and not used. */
  readonly end: () => Promise<void>;
}

/**
 * Counts calls against the accounts' hours. Processes take blocks from one table, so that together they never answer more calls
 * than allowed, and most calls ask nobody.
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
    // The hour before stays: another process, whose clock is behind, may still count in it.
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
