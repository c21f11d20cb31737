import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { openDatabase, type Database } from "@parley/database";
import { testDatabase, testRelay, type TestRelay } from "@parley/database/testing";
import { waitUntil } from "../../../../test/support/wait-until.ts";
import { KEY } from "../support/fake-account.ts";
import { hostFixture, messageEvent, type HostFixture } from "../support/host-fixture.ts";

let direct: Database;
let relay: TestRelay;
let fixture: HostFixture;

beforeAll(async () => {
  direct = await testDatabase();
  relay = await testRelay(direct);
  fixture = await hostFixture("listener", { openedDatabase: openDatabase({ dataFolder: "", url: relay.url }) });
  expect(await fixture.host.install({ domain: "acme.parley.localhost", api_key: KEY })).toEqual({ ok: true });
});
afterAll(async () => {
  await fixture.close();
  await relay.close();
  await direct.close();
});

test("an app host whose database is gone answers events with 503, so that they use up no attempt, and handles them afterwards", async () => {
  const event = messageEvent("groups");
  await relay.cut();
  expect(await fixture.deliver(event)).toBe(503);
  await relay.restore();
  // A new connection takes its time, in which attempts are refused at once.
  await waitUntil(async () => (await fixture.deliver(event)) === 204);
  await fixture.waitForLog(/"Sales"/);
});
