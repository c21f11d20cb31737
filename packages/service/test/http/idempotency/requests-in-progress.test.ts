import { describe, expect, test } from "@jest/globals";
import { statement } from "@parley/database";
import { SERVICE_SCHEMA } from "../../../src/index.ts";
import { UNLIMITED_QUOTA } from "../../console/reporting/reports/reports-harness.ts";
import { serviceHarness } from "../../service-harness.ts";
import {
  CREATING_ENDPOINTS,
  newIdempotencyKey,
  withoutSignatures,
  idempotencyHarness,
  type IdempotentReply,
} from "./idempotency-harness.ts";
import { waitUntil } from "../../../../../test/support/wait-until.ts";
import { fileFixture } from "../../../../../test/support/file-fixture.ts";

/** Two services on one database, like two processes; the second one has a shorter time limit than a statement. */
const w = fileFixture(idempotencyHarness);
const other = fileFixture(() =>
  serviceHarness({
    database: w.database,
    objectsFolder: w.objectsFolder,
    config: { reports: UNLIMITED_QUOTA },
    keyWaitMs: 200,
  }),
);
const gate = fileFixture(() => w.database.connect(SERVICE_SCHEMA));

const WAITING = statement(
  "",
  `select count(*)::integer as count from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`,
);
/** Prevents idempotency records from being stored during the call. */
const closed = async <T>(work: () => Promise<T>): Promise<T> => {
  await gate.script("begin; lock table idempotency_keys in exclusive mode");
  try {
    return await work();
  } finally {
    await gate.script("commit");
  }
};
const waiting = async (): Promise<number> => (await w.pool.one<{ count: number }>(WAITING, []))?.count ?? 0;

describe("a second request while the first is in progress", () => {
  test.each(CREATING_ENDPOINTS.slice(0, 3))(
    "%s waits for it and gets the same response",
    async (route, code, table) => {
      const [key, creating, before] = [newIdempotencyKey(), w.creatingRequest(route), await w.countRows(table)];
      let sent: Promise<IdempotentReply>[] = [];
      await closed(async () => {
        sent = Array.from({ length: 4 }, () => w.sendRequest(creating, 1, key));
        await waitUntil(async () => (await waiting()) > 0);
      });
      const replies = await Promise.all(sent);
      expect(replies.map(({ status }) => status)).toEqual(Array.from({ length: 4 }, () => code));
      expect(new Set(replies.map(({ text }) => text)).size).toBe(1);
      expect(replies.filter(({ isReplay }) => !isReplay)).toHaveLength(1);
      expect(await w.countRows(table)).toBe(before + 1);
    },
  );

  test("is refused with a retry time if that takes longer than the time limit, at every endpoint", async () => {
    const { url } = other;
    let nth = 10;
    const both = async () => {
      // Other objects each time: an agent's address, for example, is taken by the attempt before.
      const own = (nth += 1);
      const requests = w.creatingRequests.map((creating) => ({ maker: creating, key: newIdempotencyKey() }));
      const send = () =>
        Promise.all(requests.map(({ maker: creating, key }) => w.sendRequest(creating, own, key, { url })));
      let first: Promise<IdempotentReply[]> = Promise.resolve([]);
      const second = await closed(async () => {
        first = send();
        await waitUntil(async () => (await waiting()) > 0);
        return send();
      });
      return { send, first, second };
    };
    let { send, first, second } = await both();
    // A lock times out after two seconds, in which a slow machine may not send both requests.
    for (let tries = 0; tries < 3 && second.some(({ status }) => status === 503); tries += 1) {
      await first;
      ({ send, first, second } = await both());
    }
    for (const reply of second) {
      expect(reply).toMatchObject({ status: 409, token: "IDEMPOTENCY_KEY_IN_USE" });
      expect(reply.headers["retry-after"]).toBe("1");
    }
    const done = await first;
    expect(done.map(({ status }) => status)).toEqual(w.creatingRequests.map(({ code }) => code));
    const third = await send();
    expect(third.map(({ isReplay }) => isReplay)).toEqual(third.map(() => true));
    expect(third.map(({ text }) => withoutSignatures(text))).toEqual(done.map(({ text }) => withoutSignatures(text)));
  }, 30_000);
});

test("a request that waits for a refused one is carried out if it is valid by then", async () => {
  const [key, creating] = [newIdempotencyKey(), w.creatingRequest("POST /agents")];
  const email = `free-${key}@acme.example`;
  const requests = { ...creating, body: () => JSON.stringify({ email }) };
  const [one, two] = await Promise.all([
    w.sendRequest({ ...requests, body: () => JSON.stringify({ email, groups: ["nowhere"] }) }, 0, key),
    w.sendRequest(requests, 0, key),
  ]);
  // Depends on which of the two comes first.
  expect(["GROUP_NOT_FOUND", "IDEMPOTENCY_KEY_REUSED"]).toContain(one.token);
  expect(two).toMatchObject({ status: 201, isReplay: false });
});

test.each(CREATING_ENDPOINTS)(
  "%s creates one object when two processes get the request concurrently",
  async (route, code, table) => {
    const { token } = w;
    const [creating, before] = [w.creatingRequest(route), await w.countRows(table)];
    const keys = Array.from({ length: 8 }, newIdempotencyKey);
    const replies = await Promise.all(
      keys.map((key, index) =>
        Promise.all([w.url, other.url].map((url) => w.sendRequest(creating, 20 + index, key, { url, token }))),
      ),
    );
    for (const [one, two] of replies) {
      expect([one?.status, two?.status]).toEqual([code, code]);
      expect(withoutSignatures(one?.text ?? "1").replaceAll(w.url, "")).toBe(
        withoutSignatures(two?.text ?? "2").replaceAll(other.url, ""),
      );
      expect([one?.isReplay, two?.isReplay].sort()).toEqual([false, true]);
    }
    expect(await w.countRows(table)).toBe(before + keys.length);
  },
);
