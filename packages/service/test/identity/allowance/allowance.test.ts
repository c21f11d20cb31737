import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { campaignTest } from "../../../../../test/support/campaign.ts";
import { CALLS_PER_HOUR } from "@parley/contract";
import { statement } from "@parley/database";
import { createCallAllowance } from "../../../src/identity/allowance/allowance.ts";
import { allowanceStore } from "../../../src/identity/allowance/store.ts";
import type { CallerAccount } from "../../../src/http/route-handlers.ts";
import { realPorts, SERVICE_SCHEMA } from "../../../src/index.ts";
import { serviceHarness, type ServiceHarness } from "../../service-harness.ts";
import { waitUntil } from "../../../../../test/support/wait-until.ts";

const HOUR_MS = 3_600_000;
/** A quarter past the hour. */
const START = Date.UTC(2026, 4, 1, 10, 15);
const rateLimitOf = ({ status, headers }: Response) => ({
  status,
  limit: Number(headers.get("x-ratelimit-limit")),
  remaining: Number(headers.get("x-ratelimit-remaining")),
  reset: Number(headers.get("x-ratelimitreset")),
  retry: headers.get("retry-after"),
});
const call = async (w: ServiceHarness) => rateLimitOf(await w.raw("GET", "/v2/groups"));
const count = <T>(items: readonly T[], is: (item: T) => boolean) => items.filter(is).length;

describe("an account's hourly limit", () => {
  let w: ServiceHarness;
  let time = START;
  beforeAll(async () => {
    w = await serviceHarness({ callsPerHour: 120, ports: { now: () => new Date(time) } });
  });
  afterAll(() => w.close());

  test("decreases by one per call, and the response states when it is reset", async () => {
    expect(await call(w)).toEqual({ status: 200, limit: 120, remaining: 119, reset: 45 * 60, retry: null });
    expect(await call(w)).toMatchObject({ remaining: 118 });
    time += 60_000;
    expect(await call(w)).toMatchObject({ remaining: 117, reset: 44 * 60 });
  });

  test("counts calls that are refused after authentication, and each account separately", async () => {
    expect(rateLimitOf(await w.raw("GET", "/v2/agents?page=0"))).toMatchObject({ status: 400, remaining: 116 });
    await w.solo.groups.listGroups();
    expect(await call(w)).toMatchObject({ remaining: 115 });
  });

  test("counts calls of unknown paths and methods", async () => {
    const { limit } = await call(w);
    for (const [method, path, status] of [
      ["GET", "/v2/nothing", 404],
      ["DELETE", "/v2/groups", 405],
      ["PROPFIND", "/v2/groups", 405],
    ] as const)
      expect(rateLimitOf(await w.raw(method, path))).toMatchObject({ status, limit });
    const withoutToken = await fetch(`${w.url}/v2/nothing`);
    expect(rateLimitOf(withoutToken)).toMatchObject({ status: 404, limit: 1_000 });
    expect(await call(w)).toMatchObject({ remaining: 110 });
  });

  test("is enforced by TOO_MANY_REQUESTS with the seconds to wait", async () => {
    const calls = [];
    for (let batch = 0; batch < 12; batch++)
      calls.push(...(await Promise.all(Array.from({ length: 10 }, () => call(w)))));
    expect(count(calls, ({ status }) => status === 200)).toBe(110);
    const reply = await w.raw("GET", "/v2/groups");
    expect(rateLimitOf(reply)).toEqual({
      status: 429,
      limit: 120,
      remaining: 0,
      reset: 44 * 60,
      retry: String(44 * 60),
    });
    expect(await reply.json()).toMatchObject({ code: 429, status: "TOO_MANY_REQUESTS" });
    expect(rateLimitOf(await w.raw("GET", "/v2/nothing"))).toMatchObject({ status: 429, limit: 120 });
  });

  test("is reset at the full hour; the previous hour is kept for processes whose clock is behind", async () => {
    for (const hours of [1, 2, 3]) {
      time = START + hours * HOUR_MS;
      expect(await call(w)).toMatchObject({ status: 200, remaining: 119 });
    }
    const pool = w.database.pool(SERVICE_SCHEMA, { max: 1 });
    const rows = await pool.rows(statement("", "select from allowances where account_id = 1001"), []);
    await pool.end();
    expect(rows.length).toBe(2);
  });
});

/** Sets the limit, and lets the second pass for which processes on the same database go on with the former one. */
const setLimit = async (calls: number, ...processes: [ServiceHarness, ...ServiceHarness[]]) => {
  const pool = processes[0].database.pool(SERVICE_SCHEMA, { max: 1 });
  await pool.rows(statement("", "update accounts set calls_per_hour = $1 where name = 'acme'"), [calls]);
  await pool.end();
  for (const each of processes) each.expireCaches();
};

test("an account's own limit overrides the setting, and a change takes effect within a second", async () => {
  const w = await serviceHarness({ callsPerHour: 50 });
  expect(await call(w)).toMatchObject({ limit: 50 });
  await setLimit(7, w);
  expect(await call(w)).toMatchObject({ limit: 7 });
  await w.close();
});

test("a change of plan takes effect within a second in every process", async () => {
  const w = await serviceHarness({ callsPerHour: undefined });
  const other = await serviceHarness({ callsPerHour: undefined, database: w.database });
  const limits = async () => [await call(w), await call(other)].map(({ limit }) => limit);
  expect(await limits()).toEqual([CALLS_PER_HOUR.Enterprise, CALLS_PER_HOUR.Enterprise]);
  const pool = w.database.pool(SERVICE_SCHEMA, { max: 1 });
  const change = `update accounts set configuration = replace(configuration::text, '"Enterprise"', '"Pro"')::text
                   where name = 'acme' returning id`;
  expect(await pool.rows(statement("", change), [])).toHaveLength(1);
  await pool.end();
  for (const each of [w, other]) each.expireCaches();
  expect(await limits()).toEqual([CALLS_PER_HOUR.Pro, CALLS_PER_HOUR.Pro]);
  await other.close();
  await w.close();
});

describe("a lowered limit", () => {
  let w: ServiceHarness;
  let other: ServiceHarness;
  const statuses = async (...processes: ServiceHarness[]) => {
    const replies = [];
    for (const each of processes) replies.push((await call(each)).status);
    return replies;
  };
  let hour = 0;
  beforeAll(async () => {
    const ports = { now: () => new Date(START + hour * HOUR_MS) };
    w = await serviceHarness({ ports });
    other = await serviceHarness({ ports, database: w.database });
  });
  beforeEach(async () => {
    hour += 1;
    await setLimit(1_000_000, w, other);
    // Each process leases a block.
    expect(await statuses(w, other)).toEqual([200, 200]);
  });
  afterAll(async () => {
    await other.close();
    await w.close();
  });

  test("that is used up already refuses the next call in every process within a second", async () => {
    await setLimit(1, w, other);
    expect(await statuses(w, other, w, other, w, other)).toEqual(Array(6).fill(429));
    expect(await call(w)).toMatchObject({ limit: 1, remaining: 0 });
  });

  test("leaves the calls of the blocks that processes had leased at the higher limit", async () => {
    await setLimit(1, w, other);
    expect(await statuses(w, other)).toEqual([429, 429]);
    await setLimit(10, w, other);
    // Two calls of ten were used before the change.
    const replies = await statuses(...Array.from({ length: 7 }, () => [w, other]).flat());
    expect(count(replies, (status) => status === 200)).toBe(8);
  });

  test("refuses calls in a process only until another process has given its block back", async () => {
    await setLimit(10, w);
    expect(await statuses(w)).toEqual([429]);
    other.expireCaches();
    expect(await statuses(other)).toEqual([200]);
    w.expireCaches();
    expect(await statuses(w)).toEqual([200]);
  });

  campaignTest("refuses calls only until a process without calls gives its block back", async () => {
    await setLimit(10, w);
    expect(await statuses(w)).toEqual([429]);
    await waitUntil(async () => (await call(w)).status === 200);
  });
});

describe("several processes on one database", () => {
  campaignTest.each([40, 333, 1000])("together accept at most %i calls, and nearly all of them", async (limit) => {
    const ports = { now: () => new Date(START) };
    const one = await serviceHarness({ callsPerHour: limit, ports });
    const others = await Promise.all(
      [1, 2].map(() => serviceHarness({ callsPerHour: limit, ports, database: one.database })),
    );
    const harnesses = [one, ...others];
    const calls = [];
    for (let round = 0; round * 60 < limit * 1.3; round++)
      calls.push(
        ...(await Promise.all(Array.from({ length: 60 }, (_, index) => call(harnesses[index % 3] as ServiceHarness)))),
      );
    const answered = count(calls, ({ status }) => status === 200);
    expect(count(calls, ({ status }) => status === 429)).toBe(calls.length - answered);
    expect(answered).toBeLessThanOrEqual(limit);
    expect(answered).toBeGreaterThanOrEqual(limit - 3 * Math.ceil(limit / 50));
    for (const { remaining } of calls) expect(remaining).toBeLessThan(limit);
    await Promise.all(others.map((other) => other.close()));
    await one.close();
  });
});

describe("a process that ends", () => {
  const account = { id: 1001, plan_type: "Free" } as CallerAccount;
  let w: ServiceHarness;
  beforeAll(async () => {
    w = await serviceHarness();
  });
  afterAll(() => w.close());
  /** The part of a process that counts calls. */
  const process = (hour: number) => {
    const pool = w.database.pool(SERVICE_SCHEMA, { max: 1 });
    const time = START + hour * HOUR_MS;
    return {
      ...createCallAllowance({
        store: allowanceStore(pool),
        now: () => new Date(time),
        monotonicMs: realPorts.monotonicMs,
        callsPerHour: 100_000,
      }),
      pool,
    };
  };

  test("loses little of the account's hourly limit when it is killed", async () => {
    for (let times = 0; times < 60; times++) {
      const { count, pool } = process(1);
      expect(await count(account)).toMatchObject({ allowed: true });
      await pool.end();
    }
    const { count, pool } = process(1);
    expect((await count(account)).remaining).toBeGreaterThan(93_000);
    await pool.end();
  });

  test("returns its unused share when it is stopped", async () => {
    const { count, end, pool } = process(2);
    for (let calls = 0; calls < 1_000; calls++) await count(account);
    await end();
    await pool.end();
    const next = process(2);
    expect(await next.count(account)).toMatchObject({ remaining: 100_000 - 1_001 });
    await next.pool.end();
  });

  test("returns a block that it does not use, and counts its next call without it", async () => {
    const idle = process(4);
    expect((await idle.count(account)).allowed).toBe(true);
    const next = process(4);
    const remaining = async () => (await next.count(account)).remaining;
    expect(await remaining()).toBeLessThan(100_000 - 2);
    await idle.returnIdle();
    await idle.returnIdle();
    await next.end();
    expect(await remaining()).toBe(100_000 - 3);
    expect((await idle.count(account)).allowed).toBe(true);
    // All blocks are given back, so that the table has the calls that were made: four.
    await Promise.all([idle.end(), next.end()]);
    expect(await remaining()).toBe(100_000 - 5);
    await Promise.all([idle.pool.end(), next.pool.end()]);
  });

  test("queries the table rarely, regardless of the number of requests", async () => {
    const pool = w.database.pool(SERVICE_SCHEMA, { max: 1 });
    const store = allowanceStore(pool);
    let queries = 0;
    const lease: typeof store.lease = (...input) => {
      queries += 1;
      return store.lease(...input);
    };
    const { count } = createCallAllowance({
      store: { ...store, lease },
      now: () => new Date(START + 3 * HOUR_MS),
      monotonicMs: realPorts.monotonicMs,
      callsPerHour: 1_000_000,
    });
    for (let calls = 0; calls < 100_000; calls++) await count(account);
    expect(queries).toBeLessThan(20);
    await pool.end();
  });
});

test("without PARLEY_CALLS_PER_HOUR the limits of the plans apply", async () => {
  const w = await serviceHarness({ callsPerHour: undefined });
  expect(await call(w)).toMatchObject({ limit: CALLS_PER_HOUR.Enterprise });
  await w.close();
});
