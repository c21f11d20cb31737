import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { statement } from "@parley/database";
import type { InstallationDetails } from "@parley/contract";
import { SERVICE_SCHEMA } from "@parley/service";
import { waitUntil } from "../../../test/support/wait-until.ts";
import { greeter } from "./greeter-app.ts";
import { platformHarness, type PlatformHarness } from "./platform-harness.ts";

/** The state of an installation that the API returns is in effect: a change that the service has not confirmed is completed first. */

const APPS = "/platform/accounts/acme/apps";

let harness: PlatformHarness;
beforeAll(async () => {
  harness = await platformHarness();
  await harness.publish(greeter("1.0.0"));
});
afterAll(() => harness.close());

const isStored = (condition: string) =>
  harness.until(async () => {
    const query = statement("", `select 1 from installations where account = 'acme' and ${condition}`);
    return (await harness.pool.rows(query, [])).length === 1 ? true : undefined;
  });
/** Keeps the service from changing the subscriptions of the account. -> ends it */
const holdSubscriptions = async (): Promise<() => Promise<void>> => {
  const service = harness.database.pool(SERVICE_SCHEMA);
  let isHeld = (): void => undefined;
  const held = new Promise<void>((resolve) => (isHeld = resolve));
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  const hold = async (): Promise<void> => {
    try {
      await service.transaction(async (tx) => {
        await tx.rows(statement("", "select 1 from accounts where name = 'acme' for no key update"), []);
        isHeld();
        await released;
      });
    } finally {
      await service.end();
    }
  };
  const end = hold();
  await Promise.race([held, end]);
  return () => {
    release();
    return end;
  };
};
/** Reads while the service is kept from completing a change, which is completed once the read waits for it. */
const readMeanwhile = async <T>(read: () => Promise<T>, release: () => Promise<void>): Promise<T> => {
  const reading = read();
  const sessions = "select pid from pg_stat_activity where datname = current_database()";
  const waiting = statement("", `select distinct pid from pg_locks where not granted and pid in (${sessions})`);
  // That of the change, which waits for the service, and that of the read, which waits for the change.
  await waitUntil(async () => (await harness.pool.rows(waiting, [])).length === 2);
  await release();
  return reading;
};
const listed = async () => (await harness.request<{ apps: InstallationDetails[] }>("GET", APPS)).body.apps;
const found = async () => [(await harness.request<InstallationDetails>("GET", `${APPS}/greeter`)).body];
const subscription = async () => {
  const { body } = await harness.admin<{ subscriptions: { name: string; state: string }[] }>(
    "GET",
    "/admin/accounts/acme/subscriptions",
  );
  return body.subscriptions.find(({ name }) => name === "app greeter");
};

test.each([
  ["in the list", listed],
  ["by its name", found],
])("an app that is read %s while it is installed receives the message that is written then", async (_title, read) => {
  const release = await holdSubscriptions();
  const installing = harness.request("POST", APPS, { name: "greeter" });
  await isStored("project = 'greeter'");
  expect(await readMeanwhile(read, release)).toMatchObject([{ name: "greeter", state: "active" }]);
  const conversation = await harness.write("acme", "at once");
  expect(await installing).toMatchObject({ status: 201 });
  expect(await harness.untilReplies("acme", conversation, 1)).toEqual(["Hello 1.0.0: at once"]);
  expect(await harness.request("DELETE", `${APPS}/greeter`)).toMatchObject({ status: 200 });
});

test("a version that is read while it replaces another version receives the events that only it handles", async () => {
  expect(await harness.request("POST", APPS, { name: "greeter" })).toMatchObject({ status: 201 });
  const files = greeter("2.0.0");
  const manifest = files["manifest.json"] as { readonly modules: object };
  const code = files["server/server.js"] as string;
  await harness.publish({
    ...files,
    "manifest.json": {
      ...manifest,
      modules: { ...manifest.modules, chat_user: { events: { onUserCreate: { handler: "welcome" } } } },
    },
    "server/server.js": code.replace(
      "exports = {",
      'exports = {\n  welcome: async function () { await $db.set("welcomed", { users: 1 }); },',
    ),
  });
  const release = await holdSubscriptions();
  const upgrading = harness.request("POST", `${APPS}/greeter/upgrade`);
  await isStored("app_version = '2.0.0'");
  expect(await readMeanwhile(listed, release)).toMatchObject([{ name: "greeter", version: "2.0.0" }]);
  await harness.write("acme", "from a new customer");
  expect(await upgrading).toMatchObject({ status: 200 });
  await harness.until(async () => {
    const welcomed = statement("", "select 1 from records where account = 'acme' and key = 'welcomed'");
    return (await harness.pool.rows(welcomed, [])).length === 1 ? true : undefined;
  });
  expect(await harness.request("DELETE", `${APPS}/greeter`)).toMatchObject({ status: 200 });
});

test("an app that is read while it is being uninstalled is not listed, and leaves no subscription", async () => {
  expect(await harness.request("POST", APPS, { name: "greeter" })).toMatchObject({ status: 201 });
  const release = await holdSubscriptions();
  const uninstalling = harness.request("DELETE", `${APPS}/greeter`);
  await isStored("subscription IS NULL");
  expect(await readMeanwhile(listed, release)).toEqual([]);
  expect(await uninstalling).toMatchObject({ status: 200 });
  expect(await subscription()).toBeUndefined();
});

test("a pause that was interrupted is completed before the app is shown as paused", async () => {
  expect(await harness.request("POST", APPS, { name: "greeter" })).toMatchObject({ status: 201 });
  // State that a process leaves behind when it ends between the change and its confirmation by the service.
  const interrupted = "update installations set state = 'paused', paused_time = clock_timestamp(), subscription = null";
  await harness.pool.rows(statement("", interrupted), []);
  expect(await subscription()).toMatchObject({ state: "on" });
  expect(await listed()).toMatchObject([{ name: "greeter", state: "paused" }]);
  expect(await subscription()).toMatchObject({ state: "off" });
});

test("an installation is listed although the service refuses its subscription, and the log says why", async () => {
  await harness.pool.rows(statement("", "update installations set subscription = null"), []);
  expect(await harness.admin("DELETE", "/admin/accounts/acme")).toMatchObject({ status: 202 });
  expect(await listed()).toMatchObject([{ name: "greeter", state: "paused" }]);
  expect(harness.lines.join("\n")).toMatch(/The subscription of greeter on acme could not be set: .*closed/);
});
