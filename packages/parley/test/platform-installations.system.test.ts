import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { statement } from "@parley/database";
import type { InstallationDetails } from "@parley/contract";
import { greeter } from "./greeter-app.ts";
import { platformHarness, type PlatformHarness } from "./platform-harness.ts";

let harness: PlatformHarness;
beforeAll(async () => {
  harness = await platformHarness();
  await harness.publish(greeter("1.0.0"));
});
afterAll(() => harness.close());

const APPS = "/platform/accounts/acme/apps";
const step = (name: string, body?: object) => harness.request("POST", `${APPS}/greeter/${name}`, body);
const installed = (more: object = {}) => ({
  id: expect.any(String),
  name: "greeter",
  version: "1.0.0",
  account: "acme",
  state: "active",
  ...more,
});
const refused = (code: number, status: string, message: RegExp) => ({
  status: code,
  body: { code, status, message: expect.stringMatching(message) },
});

test("before an installation each step is refused", async () => {
  for (const [method, path] of [
    ["GET", "/greeter"],
    ["POST", "/greeter/upgrade"],
    ["POST", "/greeter/rollback"],
    ["POST", "/greeter/pause"],
    ["POST", "/greeter/resume"],
    ["DELETE", "/greeter"],
  ] as const)
    expect(await harness.request(method, APPS + path)).toEqual(refused(404, "APP_NOT_INSTALLED", /not installed/));
});

test("POST /platform/accounts/{account}/apps 201 installs the newest version, with a key that has exactly the needed permissions", async () => {
  expect(await harness.request("POST", APPS, { name: "greeter", iparams: { greeting: "Hi" } })).toEqual({
    status: 201,
    body: installed(),
  });
  const conversation = await harness.write("acme", "one");
  expect(await harness.untilReplies("acme", conversation, 1)).toEqual(["Hi 1.0.0: one"]);
  const { body } = await harness.admin<{ tokens: { name: string; permissions: string[] }[] }>(
    "GET",
    "/admin/accounts/acme/tokens",
  );
  const keys = body.tokens.filter(({ name }) => name === "app greeter");
  expect(keys.map(({ permissions }) => permissions)).toEqual([["account:read", "message:create"]]);
});

test.each([
  [
    "POST /platform/accounts/{account}/apps APP_NOT_FOUND for an unknown app",
    { name: "nothing" },
    refused(404, "APP_NOT_FOUND", /app not found/),
  ],
  [
    "POST /platform/accounts/{account}/apps APP_VERSION_NOT_FOUND for an unknown version",
    { name: "greeter", version: "9" },
    refused(404, "APP_VERSION_NOT_FOUND", /no such version/),
  ],
  [
    "POST /platform/accounts/{account}/apps APP_INSTALLED for an app that is installed",
    { name: "greeter" },
    refused(409, "APP_INSTALLED", /is installed/),
  ],
  ["POST /platform/accounts/{account}/apps INVALID_VALUE without a name", {}, refused(400, "INVALID_VALUE", /name/)],
  [
    "POST /platform/accounts/{account}/apps INVALID_VALUE for a name of another type",
    { name: 1 },
    refused(400, "INVALID_VALUE", /name/),
  ],
])("%s", async (_title, body, expected) => {
  expect(await harness.request("POST", APPS, body)).toEqual(expected);
});

test("POST /platform/accounts/{account}/apps ACCOUNT_NOT_FOUND refuses an unknown account", async () => {
  const reply = await harness.request("POST", "/platform/accounts/nobody/apps", { name: "greeter" });
  expect(reply).toEqual(refused(404, "ACCOUNT_NOT_FOUND", /account/));
});

test("POST /platform/accounts/{account}/apps IPARAMS_REFUSED names the problem, installs nothing and leaves no key", async () => {
  const path = "/platform/accounts/solo/apps";
  const reply = await harness.request("POST", path, { name: "greeter", iparams: { greting: "Hi" } });
  expect(reply).toEqual(refused(422, "IPARAMS_REFUSED", /greting/));
  expect(await harness.request("GET", `${path}/greeter`)).toMatchObject({ status: 404 });
  const { body } = await harness.admin<{ tokens: { name: string; revoked_time?: string }[] }>(
    "GET",
    "/admin/accounts/solo/tokens",
  );
  const keys = body.tokens.filter(({ name }) => name === "app greeter");
  expect(keys.map(({ revoked_time }) => revoked_time !== undefined)).toEqual([true]);
});

test("POST /platform/accounts/{account}/apps APP_REFUSED has the app's own message", async () => {
  await harness.publish({
    ...greeter("1"),
    "package.json": { name: "refuser", version: "1" },
    "server/server.js": `exports = {
      installed: function () { renderData({ message: "Not on this plan." }); },
      updated: function () {}, uninstalled: function () {}, scheduled: function () {}, external: function () {},
      recordOf: function () {}, answer: function () {},
    };`,
  });
  const reply = await harness.request("POST", APPS, { name: "refuser" });
  expect(reply).toEqual(refused(422, "APP_REFUSED", /^Not on this plan\.$/));
});

test("two concurrent installations become one, and the other is refused", async () => {
  await harness.publish({ ...greeter("1"), "package.json": { name: "twice", version: "1" } });
  const both = await Promise.all([0, 1].map(() => harness.request("POST", APPS, { name: "twice" })));
  expect(both.map(({ status }) => status).sort()).toEqual([201, 409]);
  expect(await harness.request("DELETE", `${APPS}/twice`)).toMatchObject({ status: 200 });
});

test("more simultaneous changes than the platform has connections to its database all succeed", async () => {
  const replies = await Promise.all(Array.from({ length: 12 }, () => step("resume")));
  expect(replies).toEqual(replies.map(() => ({ status: 200, body: installed() })));
});

test("GET /platform/accounts/{account}/apps 200 lists installations with their pages", async () => {
  const { status, body } = await harness.request<{ apps: InstallationDetails[] }>("GET", APPS);
  expect(status).toBe(200);
  expect(body.apps).toEqual([
    expect.objectContaining({
      ...installed(),
      title: "Greeter",
      page: `http://greeter--acme.apps.localhost:${harness.platform.port}/custom_configs`,
      is_running: true,
    }),
  ]);
});

test("GET /platform/accounts/{account}/apps ACCOUNT_NOT_FOUND for an unknown account", async () => {
  expect(await harness.request("GET", "/platform/accounts/nobody/apps")).toEqual(
    refused(404, "ACCOUNT_NOT_FOUND", /account/),
  );
});

test("POST /platform/accounts/{account}/apps/{name}/pause 200 keeps events in order until POST /platform/accounts/{account}/apps/{name}/resume 200", async () => {
  expect(await step("pause")).toEqual({ status: 200, body: installed({ state: "paused" }) });
  expect(await step("pause")).toEqual({ status: 200, body: installed({ state: "paused" }) });
  const conversation = await harness.write("acme", "first");
  for (const text of ["second", "third"]) await harness.say("acme", conversation, text);
  await harness.until(async () => {
    const { body } = await harness.admin<{ subscriptions: { name: string; to_come: number; state: string }[] }>(
      "GET",
      "/admin/accounts/acme/subscriptions",
    );
    const own = body.subscriptions.find(({ name }) => name === "app greeter");
    return own?.state === "off" && own.to_come >= 3 ? true : undefined;
  });
  expect(await harness.replies("acme", conversation)).toEqual([]);
  expect(await step("resume")).toEqual({ status: 200, body: installed() });
  expect(await harness.untilReplies("acme", conversation, 3)).toEqual([
    "Hi 1.0.0: first",
    "Hi 1.0.0: second",
    "Hi 1.0.0: third",
  ]);
});
test("POST /platform/accounts/{account}/apps/{name}/pause APP_NOT_INSTALLED", async () => {
  expect(await harness.request("POST", `${APPS}/refuser/pause`)).toEqual(refused(404, "APP_NOT_INSTALLED", /not/));
});
test("POST /platform/accounts/{account}/apps/{name}/resume APP_NOT_INSTALLED", async () => {
  expect(await harness.request("POST", `${APPS}/refuser/resume`)).toEqual(refused(404, "APP_NOT_INSTALLED", /not/));
});

test("schedules of a paused installation fire when it is resumed", async () => {
  const conversation = await harness.write("acme", "schedule 1 later");
  await harness.untilReplies("acme", conversation, 2);
  const other = await harness.write("acme", "schedule 2000 paused");
  await harness.untilReplies("acme", other, 1);
  await step("pause");
  const rows = () =>
    harness.pool.rows<{ name: string }>(
      statement("", "select name from schedules where due_time < clock_timestamp()"),
      [],
    );
  await harness.until(async () => ((await rows()).length === 1 ? true : undefined));
  await step("resume");
  await harness.until(async () => ((await rows()).length === 0 ? true : undefined));
});

test("POST /platform/accounts/{account}/apps/{name}/upgrade 200 keeps parameters, and asks for new required parameters: IPARAMS_REFUSED", async () => {
  const files = greeter("2.0.0");
  await harness.publish({
    ...files,
    "config/iparams.json": {
      ...(files["config/iparams.json"] as object),
      signature: { display_name: "Signature", description: "d", type: "text", required: true },
    },
  });
  expect(await step("upgrade")).toEqual(refused(422, "IPARAMS_REFUSED", /signature/));
  expect(await step("upgrade", { iparams: { greeting: "refuse", signature: "s" } })).toEqual(
    refused(422, "APP_REFUSED", /^Not this greeting\.$/),
  );
  expect(await step("upgrade", { version: "9.9.9" })).toEqual(refused(404, "APP_VERSION_NOT_FOUND", /no such/));
  const { body } = await harness.request<InstallationDetails>("GET", `${APPS}/greeter`);
  expect(body).toMatchObject({ version: "1.0.0", newer_version: "2.0.0" });
  expect(await step("upgrade", { iparams: { signature: "Kim" } })).toEqual({
    status: 200,
    body: installed({ version: "2.0.0" }),
  });
  const conversation = await harness.write("acme", "new");
  expect(await harness.untilReplies("acme", conversation, 1)).toEqual(["Hi 2.0.0: new"]);
});
test("POST /platform/accounts/{account}/apps/{name}/upgrade APP_NOT_INSTALLED, APP_REFUSED and APP_VERSION_NOT_FOUND change nothing", async () => {
  expect(await harness.request("POST", `${APPS}/refuser/upgrade`)).toEqual(refused(404, "APP_NOT_INSTALLED", /not/));
  expect(await step("upgrade", { iparams: { greeting: "refuse" } })).toEqual(refused(422, "APP_REFUSED", /Not this/));
  expect(await step("upgrade", { version: "7" })).toEqual(refused(404, "APP_VERSION_NOT_FOUND", /no such/));
  const { body } = await harness.request<InstallationDetails>("GET", `${APPS}/greeter`);
  expect(body).toMatchObject({ version: "2.0.0", previous_version: "1.0.0" });
});
test("GET /platform/accounts/{account}/apps/{name} 200, or APP_NOT_INSTALLED", async () => {
  expect((await harness.request("GET", `${APPS}/greeter`)).status).toBe(200);
  expect(await harness.request("GET", `${APPS}/refuser`)).toEqual(refused(404, "APP_NOT_INSTALLED", /not/));
});

test("POST /platform/accounts/{account}/apps/{name}/rollback 200 returns to version and parameters, once: NO_PREVIOUS_VERSION", async () => {
  expect(await step("rollback")).toEqual({ status: 200, body: installed() });
  const conversation = await harness.write("acme", "old");
  expect(await harness.untilReplies("acme", conversation, 1)).toEqual(["Hi 1.0.0: old"]);
  expect(await step("rollback")).toEqual(refused(409, "NO_PREVIOUS_VERSION", /no upgrade/));
});
test("POST /platform/accounts/{account}/apps/{name}/rollback APP_NOT_INSTALLED", async () => {
  expect(await harness.request("POST", `${APPS}/refuser/rollback`)).toEqual(refused(404, "APP_NOT_INSTALLED", /not/));
});
test("POST /platform/accounts/{account}/apps/{name}/resume 200 has no effect on an active installation", async () => {
  expect(await step("resume")).toEqual({ status: 200, body: installed() });
});
test("POST /platform/accounts/{account}/apps/{name}/rollback APP_REFUSED changes nothing", async () => {
  await step("upgrade", { iparams: { greeting: "refuse", signature: "s" }, version: "1.0.0" });
  await step("upgrade", { iparams: { signature: "s" }, version: "2.0.0" });
  const set = statement("", `update installations set previous = jsonb_set(previous, '{given}', to_jsonb($1::text))`);
  await harness.pool.rows(set, [JSON.stringify({ greeting: "refuse" })]);
  expect(await step("rollback")).toEqual(refused(422, "APP_REFUSED", /Not this/));
});

test("an external event reaches the installation whose address it is", async () => {
  const conversation = await harness.write("acme", "target");
  const [url = ""] = await harness.untilReplies("acme", conversation, 1);
  expect(url).toMatch(new RegExp(`^http://apps\\.localhost:${harness.platform.port}/targets/`));
  const reply = await harness.request("POST", new URL(url).pathname, { id: conversation }, {});
  expect(reply.status).toBe(200);
  expect((await harness.untilReplies("acme", conversation, 2))[1]).toBe("external");
});

test("DELETE /platform/accounts/{account}/apps/{name} 200 removes everything that the app stored, and its subscription; then APP_NOT_INSTALLED", async () => {
  await harness.install("solo", { name: "greeter", version: "1.0.0" });
  expect(await harness.request("DELETE", `${APPS}/greeter`)).toMatchObject({ status: 200, body: { name: "greeter" } });
  const tables = await harness.pool.rows<{ table: string }>(
    statement(
      "",
      `select c.table_name as table from information_schema.columns c
        where c.table_schema = 'parley_apps' and c.column_name in ('account', 'project')
        group by c.table_name having count(*) = 2`,
    ),
    [],
  );
  expect(tables.length).toBeGreaterThan(10);
  for (const { table } of tables) {
    const rows = await harness.pool.rows(
      statement("", `select 1 from ${table} where account = 'acme' and project = 'greeter'`),
      [],
    );
    expect([table, rows.length]).toEqual([table, 0]);
  }
  const { body } = await harness.admin<{ subscriptions: { name: string }[] }>(
    "GET",
    "/admin/accounts/acme/subscriptions",
  );
  expect(body.subscriptions.map(({ name }) => name)).not.toContain("app greeter");
  expect(await harness.request("DELETE", `${APPS}/greeter`)).toEqual(refused(404, "APP_NOT_INSTALLED", /not/));
  const conversation = await harness.write("solo", "still");
  expect(await harness.untilReplies("solo", conversation, 1)).toEqual(["Hello 1.0.0: still"]);
});

test("each step is in the audit log of its account", async () => {
  const actions = await harness.until(async () => {
    const { body } = await harness.admin<{ entries: { action: string; subject: string }[] }>(
      "GET",
      "/admin/accounts/acme/audit-log?items_per_page=100",
    );
    const own = body.entries.filter(({ subject }) => subject === "greeter").map(({ action }) => action);
    return own.includes("app.uninstall") ? own : undefined;
  });
  expect(new Set(actions)).toEqual(
    new Set(["app.install", "app.pause", "app.resume", "app.upgrade", "app.rollback", "app.uninstall"]),
  );
});
