import { describe, expect, test } from "@jest/globals";
import type { AuditEntry } from "@parley/contract";
import { statement } from "@parley/database";
import { ADMIN_KEY } from "../../operations/administration/endpoints/admin-harness.ts";
import { waitUntil } from "../../../../../test/support/wait-until.ts";
import { serviceHarness } from "../../service-harness.ts";
import { auditHarness, type AuditHarness } from "./audit-harness.ts";
import { fileFixture } from "../../../../../test/support/file-fixture.ts";

const s = fileFixture(auditHarness);

interface Entries {
  readonly entries: AuditEntry[];
  readonly pagination: { readonly total_items: number };
  readonly links: { readonly next_page?: { readonly href: string } };
}
const list = async (query = "", account = "acme") =>
  (await s.adminRequest<Entries>("GET", `/admin/accounts/${account}/audit-log${query}`)).body;

/** Adds entries of one account, one a minute from a time on. */
const addEntries = (count: number, { account, from }: { readonly account: "acme" | "solo"; readonly from: string }) =>
  s.pool.rows(
    statement(
      "",
      `insert into audit_log (id, time, account_id, account, actor_type, action, subject, details)
       select gen_random_uuid(), $2::timestamptz + n * interval '1 minute', id, name, 'system', 'token.create', n::text, '{}'
         from accounts, generate_series(1, $3::integer) n where name = $1`,
    ),
    [account, from, count],
  );

describe("the list", () => {
  test("GET /admin/accounts/{account}/audit-log 200 with the newest entry first, in pages", async () => {
    const work = async () => {
      for (const name of ["one", "two", "three"]) await s.admin.issueToken({ account: "acme", name });
    };
    await work();
    const first = await list("?items_per_page=2&action=token.create");
    expect(first.entries.map(({ details }) => details["name"])).toEqual(["three", "two"]);
    expect(first.entries[0]).toEqual({
      id: expect.any(String),
      time: expect.stringMatching(/Z$/),
      account: "acme",
      actor: { type: "system" },
      action: "token.create",
      subject: expect.any(String),
      details: { name: "three", permissions: expect.arrayContaining(["user:read"]), expires_time: expect.any(String) },
    });
    const next = await s.adminRequest<Entries>("GET", first.links.next_page?.href ?? "");
    expect(next.body.entries[0]?.details["name"]).toBe("one");
  });

  test("filters by action, by the first time that is included and the first that is not", async () => {
    await addEntries(5, { account: "solo", from: "2026-03-01T00:00:00Z" });
    const subjects = async (query: string) =>
      (await list(`?until=2026-04-01T00:00:00Z&${query}`, "solo")).entries.map(({ subject }) => subject);
    expect(await subjects("")).toEqual(["5", "4", "3", "2", "1"]);
    expect(await subjects("from=2026-03-01T00:02:00Z")).toEqual(["5", "4", "3", "2"]);
    expect(await subjects("from=2026-03-01T00:02:00.0001Z")).toEqual(["5", "4", "3"]);
    const until = (await list("?until=2026-03-01T01:02:00%2B01:00", "solo")).entries;
    expect(until.map(({ subject }) => subject)).toEqual(["1"]);
    expect(await subjects("action=token.revoke")).toEqual([]);
    expect(await subjects("action=token.create&from=2026-03-01T00:05:00Z")).toEqual(["5"]);
  });

  test("filters by who did it and by what it was done to, by id or by name regardless of case", async () => {
    const path = "/admin/accounts/acme/tokens";
    const { body } = await s.page<{ id: string }>("POST", path, {
      session: s.owner.session,
      body: { name: "Find Me" },
    });
    const [made] = (await list("?subject=find%20me&action=token.create")).entries;
    expect(made).toMatchObject({ subject: body.id, actor: { type: "agent" } });
    const { id: actorId = "", name = "" } = made?.actor ?? {};
    const found = async (query: string) => (await list(`?action=token.create&${query}`)).entries.map(({ id }) => id);
    for (const actor of ["agent", actorId, name.toUpperCase()])
      expect(await found(`actor=${encodeURIComponent(actor)}`)).toContain(made?.id);
    expect(await found(`subject=${body.id}`)).toEqual([made?.id]);
    expect(await found("actor=system")).not.toContain(made?.id);
    expect(await found("subject=find")).toEqual([]);
    const { body: lines } = await s.page<string>("GET", "/admin/accounts/acme/audit-log/export?subject=FIND%20ME", {
      session: s.owner.session,
    });
    expect(JSON.stringify(lines)).toContain(made?.id);
  });

  test.each([
    `subject=${"x".repeat(256)}`,
    "from=yesterday",
    "until=2026-13-01T00:00:00Z",
    "from=2026-02-01T00:00:00Z&until=2026-02-01T00:00:00Z",
    "action=none",
  ])("?%s is refused", async (query) => {
    for (const path of [
      "/admin/audit-log",
      "/admin/accounts/acme/audit-log",
      "/admin/accounts/acme/audit-log/export",
    ]) {
      const { code, body } = await s.adminRequest("GET", `${path}?${query}`);
      expect([code, body.status]).toEqual([400, "INVALID_VALUE"]);
    }
  });

  test("GET /admin/audit-log 200 lists the entries of all accounts", async () => {
    await s.admin.issueToken({ account: "solo", name: "of solo" });
    await s.admin.issueToken({ account: "acme", name: "of acme" });
    const { code, body } = await s.adminRequest<Entries>("GET", "/admin/audit-log?items_per_page=2");
    expect([code, body.entries.map(({ account }) => account)]).toEqual([200, ["acme", "solo"]]);
  });

  test("an account's list has no entry of another account", async () => {
    const accounts = (await list("?items_per_page=100")).entries.map(({ account }) => account);
    expect([...new Set(accounts)]).toEqual(["acme"]);
  });
});

describe("who reads it:", () => {
  const LOG = "/admin/accounts/acme/audit-log";
  test("an admin of the account", async () => {
    const { code, body } = await s.page<Entries>("GET", LOG, { session: s.owner.session });
    expect([code, body.entries.length > 0]).toEqual([200, true]);
  });
  test.each([LOG, `${LOG}/export`, "/admin/audit-log"])(
    "not an admin of another account, an agent or a token: %s",
    async (path) => {
      const get = async (asked: Parameters<AuditHarness["page"]>[2]) => (await s.page("GET", path, asked)).code;
      expect(await get({ session: s.ownerOfSolo.session })).toBe(403);
      expect(await get({ session: s.agent.session })).toBe(403);
      expect(await get({ headers: { authorization: `Bearer ${s.token}` } })).toBe(401);
      expect(await get({})).toBe(401);
    },
  );
  test("not the admin of an account the log of all accounts", async () => {
    expect((await s.page("GET", "/admin/audit-log", { session: s.owner.session })).code).toBe(403);
  });
  test.each([
    "GET /admin/accounts/{account}/audit-log ACCOUNT_NOT_FOUND",
    "GET /admin/accounts/{account}/audit-log/export ACCOUNT_NOT_FOUND",
    "POST /admin/accounts/{account}/audit-log ACCOUNT_NOT_FOUND",
  ])("%s for an unknown account", async (title) => {
    const [method = "", path = "", status] = title.replace("{account}", "nobody").split(" ");
    const body = method === "POST" ? { action: "app.install", app: "concierge" } : undefined;
    const response = await s.adminRequest(method, path, body);
    expect([response.code, response.body.status]).toEqual([404, status]);
  });
});

describe("the export", () => {
  const exported = async (query: string) => {
    const reply = await fetch(`${s.url}/admin/accounts/acme/audit-log/export${query}`, {
      headers: { authorization: `Bearer ${ADMIN_KEY}` },
    });
    const text = await reply.text();
    expect(text === "" || text.endsWith("\n")).toBe(true);
    const entries = text
      .split("\n")
      .slice(0, -1)
      .map((line) => JSON.parse(line) as AuditEntry);
    return { code: reply.status, type: reply.headers.get("content-type"), entries };
  };

  test("GET /admin/accounts/{account}/audit-log/export 200 with 2,500 entries, one a line, the oldest first", async () => {
    await addEntries(2_500, { account: "acme", from: "2026-05-01T00:00:00Z" });
    const { code, type, entries } = await exported("?from=2026-05-01T00:00:00Z&until=2026-05-31T00:00:00Z");
    expect([code, type, entries.length]).toEqual([200, "application/x-ndjson", 2_500]);
    expect(entries.map(({ subject }) => subject)).toEqual(
      Array.from({ length: 2_500 }, (_, index) => String(index + 1)),
    );
    const [newest] = (await list("?items_per_page=1")).entries;
    expect(newest).toMatchObject({
      action: "audit_log.export",
      actor: { type: "operator" },
      details: { from: "2026-05-01T00:00:00Z", until: "2026-05-31T00:00:00Z" },
    });
  });

  test("has the same entries as the list, its own included", async () => {
    const { entries } = await exported("?from=2026-06-01T00:00:00Z");
    const listed = await list("?from=2026-06-01T00:00:00Z&items_per_page=100");
    expect(entries.toReversed()).toEqual(listed.entries);
    expect(entries.at(-1)?.action).toBe("audit_log.export");
  });

  test("without entries is empty", async () => {
    expect((await exported("?until=2020-01-01T00:00:00Z")).entries).toEqual([]);
  });
});

describe("how long entries are kept", () => {
  const DAY_MS = 86_400_000;
  /** -> subjects of the old entries that remain when another process has started: as many as `count`, at most */
  const remaining = async (days: number | undefined, ages: readonly number[], count: number) => {
    const add = `insert into audit_log (id, time, actor_type, action, subject, details) values (gen_random_uuid(), $1, 'system', 'token.create', $2, '{}')`;
    for (const age of ages)
      await s.pool.rows(statement("", add), [new Date(Date.now() - age * DAY_MS - 60_000), `${age} days old`]);
    const old = async () => (await s.storedEntries()).flatMap((row) => /\d+ days old/.exec(row)?.[0] ?? []).sort();
    const config = days === undefined ? {} : { auditLogDays: days };
    const second = await serviceHarness({ database: s.database, objectsFolder: s.objectsFolder, config });
    try {
      await waitUntil(async () => (await old()).length <= count);
      return await old();
    } finally {
      await second.close();
      await s.pool.rows(statement("", "delete from audit_log where subject like '% days old'"), []);
    }
  };
  test("400 days by default", async () => {
    expect(await remaining(undefined, [399, 400, 401], 1)).toEqual(["399 days old"]);
  });
  test("as many days as are set", async () => {
    expect(await remaining(30, [29, 30, 399], 1)).toEqual(["29 days old"]);
  });
});
