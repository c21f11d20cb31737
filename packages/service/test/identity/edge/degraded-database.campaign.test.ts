import { afterAll, afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import { setTimeout } from "node:timers/promises";
import { migrate, statement, type Database, type Pool } from "@parley/database";
import { asAdministrator, testDatabase } from "@parley/database/testing";
import { SERVICE_MIGRATIONS, SERVICE_SCHEMA } from "../../../src/index.ts";
import { flushStatistics } from "../../flush-statistics.ts";
import { waitUntil } from "../../../../../test/support/wait-until.ts";
import { serviceHarness, type ServiceHarness } from "../../service-harness.ts";

/** A service whose PostgreSQL is reachable, and can't do what is requested. */
let database: Database;
let admin: Database;
let superuser: Pool;
let w: ServiceHarness;
let name: string;
let started: { conversation: string; user: string };

const run = (sql: string) => superuser.rows(statement("", sql), []);
const NAME = statement("", "select current_database() as name");

/** Lets inserts fail with the code of a row. Triggers that come and go would need locks of the tables, and could deadlock with writes. */
const addTriggers = async () => {
  await run("create schema trouble");
  await run("create table trouble.codes (code text not null)");
  await run(`create function trouble.raise() returns trigger language plpgsql security definer as
               $$ declare given text;
                  begin
                    select code into given from trouble.codes;
                    if found then raise exception 'could not extend file' using errcode = given; end if;
                    return new;
                  end $$`);
  for (const table of ["messages", "users"])
    await run(`create trigger trouble before insert on ${table} for each row execute function trouble.raise()`);
};

beforeAll(async () => {
  const key = `service ${JSON.stringify(SERVICE_MIGRATIONS)}`;
  const prepare = (fresh: Database) => migrate(fresh, SERVICE_SCHEMA, SERVICE_MIGRATIONS);
  database = await testDatabase({ key, run: prepare, isExternal: true });
  admin = await asAdministrator(database);
  superuser = admin.pool("parley_service", { max: 1 });
  name = (await superuser.one<{ name: string }>(NAME, []))?.name ?? "";
  await addTriggers();
  w = await serviceHarness({ database, hasThrottledLog: true });
  const { id: user = "" } = await w.client.users.createUser({ body: { first_name: "Ann" } });
  const { channels } = await w.client.channels.listChannels({ query: {} });
  const { conversation_id } = await w.client.conversations.createConversation({
    body: {
      channel_id: channels[0]?.id ?? "",
      users: [{ id: user }],
      messages: [{ actor_type: "user", actor_id: user, message_parts: [{ text: { content: "Hi" } }] }],
    },
  });
  started = { conversation: conversation_id, user };
});
afterAll(async () => {
  await w.close();
  await admin.close();
  await database.close();
});

/** Ends every other connection to the database. */
const endAll = () =>
  run(`select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}' and pid <> pg_backend_pid()`);

const post = async (path: string, body: object) => {
  const response = await w.raw("POST", path, {
    body: JSON.stringify(body),
    headers: { "content-type": "application/json" },
  });
  const text = await response.text();
  return {
    isDone: response.ok,
    status: response.status,
    retry: response.headers.get("retry-after"),
    body: JSON.parse(text) as { id?: string },
  };
};
let written = 0;
const say = () =>
  post(`/v2/conversations/${started.conversation}/messages`, {
    actor_type: "user",
    actor_id: started.user,
    message_parts: [{ text: { content: `message ${written++}` } }],
  });
const writes = [say, () => post("/v2/users", { first_name: "Bob" })];

const health = async () => {
  const response = await w.raw("GET", "/health");
  return { status: response.status, body: (await response.json()) as { message?: string } };
};
const untilHealthy = async () => {
  await waitUntil(async () => (await health()).status === 200);
};

const acknowledged: string[] = [];
const noted = async (responses: readonly Awaited<ReturnType<typeof say>>[]) => {
  for (const { isDone, body } of responses) if (isDone && body.id) acknowledged.push(body.id);
  return responses;
};

interface Trouble {
  readonly title: string;
  readonly begin: () => Promise<unknown>;
  readonly end: () => Promise<unknown>;
  /** The response of /health; undefined: ok. */
  readonly health?: RegExp;
  readonly code: string;
}

const raising = (code: string): Pick<Trouble, "begin" | "end" | "code"> => ({
  code,
  begin: () => run(`insert into trouble.codes values ('${code}')`),
  end: () => run("delete from trouble.codes"),
});

const TROUBLES: readonly Trouble[] = [
  {
    title: "is made read-only",
    code: "25006",
    begin: async () => {
      await run(`alter database ${name} set default_transaction_read_only = on`);
      await endAll();
    },
    end: () => run(`alter database ${name} reset default_transaction_read_only`),
    health: /takes no writes/,
  },
  { title: "has a full disk", ...raising("53100") },
  { title: "is out of memory", ...raising("53200") },
  { title: "reaches a limit of its configuration", ...raising("53400") },
  { title: "can't read its disk", ...raising("58030") },
  {
    title: "takes no more connections",
    code: "53300",
    begin: async () => {
      await run(`alter database ${name} connection limit 0`);
      await endAll();
    },
    end: () => run(`alter database ${name} connection limit -1`),
    health: /can't be reached|no more connections/,
  },
];

describe.each(TROUBLES)("while the database $title", (trouble) => {
  test("writes are answered 503 with Retry-After, logged once, and succeed once it has recovered", async () => {
    await untilHealthy();
    const before = w.logLines.length;
    await trouble.begin();
    try {
      const responses = (
        await Promise.all(Array.from({ length: 20 }, () => writes.map((each) => each())).flat())
      ).flat();
      expect(new Set(responses.map(({ status, retry }) => `${status} ${retry}`))).toEqual(new Set(["503 1"]));
      const { status, body } = await health();
      expect([status, body.message ?? ""]).toEqual(
        trouble.health ? [503, expect.stringMatching(trouble.health)] : [200, ""],
      );
      const logged = w.logLines.slice(before).filter((line) => / failed: /.test(line));
      expect(logged.filter((line) => line.includes(trouble.code)).length).toBeLessThanOrEqual(1);
      expect(logged.length).toBeLessThanOrEqual(2);
    } finally {
      await trouble.end();
    }
    await untilHealthy();
    await waitUntil(async () => (await Promise.all(writes.map((each) => each()))).every(({ isDone }) => isDone));
  });
});

test("reads succeed while the database is read-only", async () => {
  const { begin, end } = TROUBLES[0] ?? { begin: async () => undefined, end: async () => undefined };
  await begin();
  try {
    const response = await w.raw("GET", `/v2/conversations/${started.conversation}/messages`);
    expect(response.status).toBe(200);
  } finally {
    await end();
  }
  await untilHealthy();
});

describe("during many writes", () => {
  let isOver = false;
  afterEach(() => {
    isOver = true;
  });

  test.each([
    ["every connection is ended", endAll, async () => undefined],
    ["the disk becomes full", raising("53100").begin, raising("53100").end],
    ["it becomes read-only and others are let go", TROUBLES[0]?.begin, TROUBLES[0]?.end],
  ])(
    "%s: each write is done or answered 503, and acknowledged ones are stored exactly once",
    async (_, begin, end) => {
      isOver = false;
      acknowledged.length = 0;
      const responses: Awaited<ReturnType<typeof say>>[] = [];
      const writer = async () => {
        while (!isOver) {
          const response = await say();
          responses.push(...(await noted([response])));
          if (!response.isDone) await setTimeout(20);
        }
      };
      const writers = Array.from({ length: 16 }, writer);
      const untilMore = (count: () => number) => {
        const enough = count() + 16;
        return waitUntil(() => count() >= enough);
      };
      for (let round = 0; round < 3; round++) {
        await untilMore(() => acknowledged.length);
        await begin?.();
        await untilMore(() => responses.length);
        await end?.();
      }
      for (let turn = 0; turn < 3; turn++) await untilMore(() => acknowledged.length);
      isOver = true;
      await Promise.all(writers);
      expect(responses.filter(({ isDone, status }) => !isDone && status !== 503)).toEqual([]);
      const rows = await database
        .pool(SERVICE_SCHEMA, { max: 1 })
        .rows<{ id: string }>(statement("", "select id from messages"), []);
      const stored = new Set(rows.map(({ id }) => id));
      expect(rows).toHaveLength(stored.size);
      expect(acknowledged.filter((id) => !stored.has(id))).toEqual([]);
    },
    60_000,
  );
});

test("polling /health sends no statement to the database while it works", async () => {
  await untilHealthy();
  const COUNT = statement("", `select xact_commit as n from pg_stat_database where datname = '${name}'`);
  const pool = database.pool(SERVICE_SCHEMA, { max: 1 });
  await flushStatistics(pool);
  await untilHealthy();
  const before = await superuser.one<{ n: number }>(COUNT, []);
  for (let round = 0; round < 10; round++) await Promise.all(Array.from({ length: 50 }, health));
  await flushStatistics(pool);
  const after = await superuser.one<{ n: number }>(COUNT, []);
  expect((after?.n ?? 0) - (before?.n ?? 0)).toBeLessThan(100);
});
