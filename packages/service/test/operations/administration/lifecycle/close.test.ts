import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { PASSWORD } from "../../../identity/authentication/session-harness.ts";
import { statement, type Pool } from "@parley/database";
import { SERVICE_SCHEMA } from "../../../../src/index.ts";
import { receiver } from "../../../events/dispatch/fake-subscriber.ts";
import { subscriptionsApplied } from "../../../events/dispatch/subscriptions-applied.ts";
import { openStreamReader } from "../../../events/stream/stream-reader-fixture.ts";
import { DAY_MS, lifecycleHarness, MINUTE_MS, type LifecycleHarness } from "./lifecycle-harness.ts";

let s: LifecycleHarness;
let other: LifecycleHarness;
let pool: Pool;
beforeAll(async () => {
  s = await lifecycleHarness();
  other = await lifecycleHarness({ database: s.database });
  pool = s.database.pool(SERVICE_SCHEMA, { max: 1 });
});
afterAll(async () => {
  await pool.end();
  await other.close();
  await s.close();
});

/** A new account with a token. */
const accountWithToken = async (name: string): Promise<string> => {
  const { code } = await s.create(name);
  if (code !== 201) throw new Error(`the account was not created: ${code}`);
  return (await s.admin.issueToken({ account: name, name: "test" })).token;
};
const ACTIONS = statement("", "select action from audit_log where account = $1 order by time, id");
const actionsOf = async (name: string) =>
  (await pool.rows<{ action: string }>(ACTIONS, [name])).map(({ action }) => action);
const daysUntil = (time: string | undefined) => Math.round((Date.parse(time ?? "") - Date.now()) / DAY_MS);
/** The second for which processes may use what they have cached is over. */
const secondLater = () => {
  for (const each of [s, other]) each.expireCaches();
};

test("DELETE /admin/accounts/{account} 202 closes the account: every process answers its tokens with 403 ACCOUNT_CLOSED within a second", async () => {
  const token = await accountWithToken("close-a");
  // In constant use, so that each process has the token in its cache.
  expect([await s.callWith(token), await other.callWith(token)]).toEqual(["200", "200"]);
  const { code, body } = await s.closeAccount("close-a");
  expect([code, body.account, daysUntil(body.deletion_time)]).toEqual([202, "close-a", 30]);
  secondLater();
  for (const each of [s, other]) expect(await each.callWith(token)).toBe("403 ACCOUNT_CLOSED");
  expect(await s.callWith(token, "/v2/none")).toBe("404 NOT_FOUND");
  expect(await s.summaryOf("close-a")).toMatchObject({
    closed_time: body.closed_time,
    deletion_time: body.deletion_time,
  });
  expect(await s.callWith(s.token)).toBe("200");
});

test("DELETE /admin/accounts/{account} ACCOUNT_NOT_FOUND for an unknown name", async () => {
  for (const name of ["none", "a%00b"])
    expect(await s.closeAccount(name)).toMatchObject({ code: 404, body: { status: "ACCOUNT_NOT_FOUND" } });
});

test.each(["-1", "3651", "1.5", "soon"])(
  "DELETE /admin/accounts/{account} refuses after_days=%s and closes nothing",
  async (days) => {
    const { code, body } = await s.closeAccount("solo", `?after_days=${days}`);
    expect([code, body.status]).toEqual([400, "INVALID_VALUE"]);
    expect((await s.summaryOf("solo"))?.closed_time).toBeUndefined();
  },
);

test("a second close changes nothing, unless it has a number of days; both count in the audit log", async () => {
  await accountWithToken("close-b");
  const first = await s.closeAccount("close-b", "?after_days=5");
  const second = await s.closeAccount("close-b");
  expect(second).toEqual(first);
  const sooner = await s.closeAccount("close-b", "?after_days=1");
  expect([sooner.body.closed_time, daysUntil(sooner.body.deletion_time)]).toEqual([first.body.closed_time, 1]);
  expect(await actionsOf("close-b")).toEqual(["account.create", "token.create", "account.close", "account.close"]);
});

test("closes of one account at once are one close", async () => {
  await accountWithToken("close-c");
  const replies = await Promise.all(
    Array.from({ length: 8 }, (_, index) => (index % 2 ? s : other).closeAccount("close-c")),
  );
  expect(new Set(replies.map(({ code, body }) => `${code} ${body.closed_time}`)).size).toBe(1);
  expect(await actionsOf("close-c")).toEqual(["account.create", "token.create", "account.close"]);
});

test("sessions of the closed account answer 401, sign-in fails like a wrong password, and links are invalid", async () => {
  await accountWithToken("close-d");
  const session = await s.signIn("owner@close-d.example", { account: "close-d" });
  const signIn = () =>
    s.page("POST", "/identity/sign-in", {
      body: { account: "close-d", email: "owner@close-d.example", password: PASSWORD },
    });
  expect((await signIn()).code).toBe(200);
  const { link } = (await s.adminRequest<{ link: string }>("POST", "/admin/accounts/close-d/sign-in-links", {})).body;
  await s.closeAccount("close-d");
  secondLater();
  for (const each of [s, other]) expect((await each.page("GET", "/identity/session", { session })).code).toBe(401);
  expect(await signIn()).toMatchObject({ code: 401, body: { status: "SIGN_IN_FAILED" } });
  expect(link).toContain("/sign-in/link/");
  expect(await s.adminRequest("POST", "/admin/accounts/close-d/sign-in-links", {})).toMatchObject({ code: 404 });
  const SESSIONS = statement(
    "",
    "select s.id from agent_sessions s join accounts a on a.id = s.account_id where a.name = 'close-d'",
  );
  expect(await pool.rows(SESSIONS, [])).toEqual([]);
  await s.reopen("close-d");
  expect((await s.page("GET", "/identity/session", { session })).code).toBe(401);
  expect((await signIn()).code).toBe(200);
});

test("an owner closes the account in a session, which ends with it; an admin of another account or role can't", async () => {
  await accountWithToken("close-e");
  const owner = await s.signIn("owner@close-e.example", { account: "close-e" });
  const stranger = await s.signIn("olivia@acme.example");
  const admin = await s.signIn("noah@acme.example");
  const close = (session: typeof owner, account: string) =>
    s.page("DELETE", `/admin/accounts/${account}`, { session }).then(({ code }) => code);
  expect([await close(stranger, "close-e"), await close(admin, "acme")]).toEqual([403, 403]);
  expect(await close(owner, "close-e")).toBe(202);
  secondLater();
  expect((await s.page("GET", "/identity/session", { session: owner })).code).toBe(401);
});

test("open event streams end", async () => {
  const token = await accountWithToken("close-f");
  const readers = await Promise.all([s, other].map(({ url }) => openStreamReader({ url, token })));
  const acme = await openStreamReader({ url: s.url, token: s.token });
  expect(readers.map(({ status }) => status)).toEqual([200, 200]);
  await s.closeAccount("close-f");
  secondLater();
  await Promise.all(readers.map(({ ended }) => ended));
  await s.client.users.createUser({ body: { first_name: "Uma" } });
  expect(acme.text()).not.toContain("event: end");
  acme.disconnect();
});

test("events are not delivered while the account is closed, and are delivered after it is reopened", async () => {
  const token = await accountWithToken("close-g");
  const host = await receiver();
  await s.admin.subscribe({ account: "close-g", name: "app", kind: "app", url: host.url });
  const create = (first_name: string) =>
    fetch(`${s.url}/v2/users`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify({ first_name }),
    }).then(({ status }) => status);
  expect(await create("One")).toBe(201);
  await host.until(({ accepted }) => accepted.length === 1);
  await s.closeAccount("close-g");
  // A request that was admitted before the close commits its event after it.
  const EVENT = statement(
    "",
    `insert into outbox (seq, id, account_id, partition, kind, entity_id, created_time, actor_type, user_id, user_revision)
     select nextval('log_positions'), gen_random_uuid(), account_id, partition, kind, entity_id, now(), actor_type, user_id,
            user_revision
       from outbox
      where account_id = (select id from accounts where name = 'close-g')`,
  );
  secondLater();
  expect(await s.callWith(token)).toBe("403 ACCOUNT_CLOSED");
  await subscriptionsApplied(s);
  await pool.rows(EVENT, []);
  await subscriptionsApplied(s);
  expect(host.received).toHaveLength(1);
  expect((await s.reopen("close-g")).code).toBe(200);
  await host.until(({ accepted }) => accepted.length === 2);
  await host.close();
});

test("PUT /admin/accounts/{account} ACCOUNT_CLOSED: no document is applied to a closed account, not even at the time of the close", async () => {
  await accountWithToken("close-h");
  const groups = Array.from({ length: 12 }, (_, index) => `Team ${index}`);
  const applied = groups.map((name) => s.applyDocument({ name: "close-h", groups: [{ name }] }));
  const closed = other.closeAccount("close-h");
  const replies = await Promise.all(applied);
  expect((await closed).code).toBe(202);
  for (const { code, body } of replies)
    expect([200, 403].includes(code) && (code === 200 || body.status === "ACCOUNT_CLOSED")).toBe(true);
  const late = await s.applyDocument({ name: "close-h", groups: [{ name: "Late" }] });
  expect([late.code, late.body.status]).toEqual([403, "ACCOUNT_CLOSED"]);
  expect((await s.applyDocument({ name: "close-h" }, "?dry_run=true")).code).toBe(403);
  const names = (await s.exportDocument("close-h")).groups?.map(({ name }) => name) ?? [];
  const accepted = groups.filter((_, index) => replies[index]?.code === 200);
  expect(names.filter((name) => name !== "Team").sort()).toEqual(accepted.sort());
});

test("POST /admin/accounts/{account}/tokens ACCOUNT_CLOSED", async () => {
  await accountWithToken("close-i");
  await s.closeAccount("close-i");
  const { code, body } = await s.adminRequest("POST", "/admin/accounts/close-i/tokens", { name: "late" });
  expect([code, body.status]).toEqual([403, "ACCOUNT_CLOSED"]);
});

test("an import into a closed account is refused", async () => {
  await accountWithToken("close-j");
  await s.closeAccount("close-j");
  const reply = await s.raw("POST", "/admin/import?account=close-j", {
    headers: { authorization: "Bearer parley_admin_of-this-test", "content-type": "application/x-ndjson" },
    body: `${JSON.stringify({ type: "user", id: "u1", first_name: "Uma", created_time: "2026-01-05T09:00:00.000Z" })}\n`,
  });
  expect(await reply.text()).toContain("ACCOUNT_CLOSED");
});

test("POST /admin/accounts/{account}/reopening 200 makes tokens valid again within a second; an open account stays open", async () => {
  const token = await accountWithToken("close-k");
  await s.closeAccount("close-k");
  secondLater();
  expect(await s.callWith(token)).toBe("403 ACCOUNT_CLOSED");
  const { code, body } = await s.reopen("close-k");
  expect([code, body]).toEqual([200, { account: "close-k" }]);
  secondLater();
  for (const each of [s, other]) expect(await each.callWith(token)).toBe("200");
  expect(await s.reopen("close-k")).toMatchObject({ code: 200, body: { account: "close-k" } });
  expect((await s.summaryOf("close-k"))?.deletion_time).toBeUndefined();
  expect(await actionsOf("close-k")).toEqual(["account.create", "token.create", "account.close", "account.reopen"]);
});

test("POST /admin/accounts/{account}/reopening ACCOUNT_NOT_FOUND for an unknown account, and for one that is being deleted", async () => {
  expect(await s.reopen("none")).toMatchObject({ code: 404, body: { status: "ACCOUNT_NOT_FOUND" } });
  await accountWithToken("close-l");
  await s.closeAccount("close-l");
  const START = statement("", "update accounts set deletion_started_time = now() where name = 'close-l'");
  await pool.rows(START, []);
  const { code, body } = await s.reopen("close-l");
  expect([code, body.status]).toEqual([404, "ACCOUNT_NOT_FOUND"]);
});

test("an account that is closed with after_days=0 is deleted after the requests in progress, and its name can be used again", async () => {
  const token = await accountWithToken("close-m");
  const { body } = await s.closeAccount("close-m", "?after_days=0");
  expect(Date.parse(body.deletion_time ?? "") - Date.parse(body.closed_time ?? "")).toBe(3 * MINUTE_MS);
  secondLater();
  expect(await s.callWith(token)).toBe("403 ACCOUNT_CLOSED");
  // Another account, whose deletion is due, is deleted meanwhile.
  await accountWithToken("close-n");
  await s.closeAccount("close-n");
  await pool.rows(statement("", "update accounts set deletion_time = closed_time where name = 'close-n'"), []);
  await s.deleted("close-n");
  expect((await s.summaryOf("close-m"))?.closed_time).toBeDefined();
  s.advance(3 * MINUTE_MS);
  await s.deleted("close-m");
  secondLater();
  expect(await s.callWith(token)).toBe("401 UNAUTHENTICATED");
  expect(await actionsOf("close-m")).toEqual(["account.create", "token.create", "account.close", "account.delete"]);
  expect((await s.create("close-m")).code).toBe(201);
});
