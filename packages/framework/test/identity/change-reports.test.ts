import { logText } from "@parley/telemetry";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "@jest/globals";
import { waitUntil } from "../../../../test/support/wait-until.ts";
import { migrate, type Database, type Pool } from "@parley/database";
import { testDatabase } from "@parley/database/testing";
import { APP_MIGRATIONS, APP_SCHEMA } from "../../src/state/db/migrations.ts";
import { realHostPorts } from "../../src/environment/ports.ts";
import {
  createChangeReportSender,
  installationReport,
  type ChangeAuthor,
  type ChangeReportSender,
} from "../../src/identity/change-reports.ts";
import { addChangeReport, changeReportStore } from "../../src/identity/change-reports.sql.ts";
import { sessionAgent, startFakeIdentityService, type FakeIdentityService } from "../support/fake-identity-service.ts";

let database: Database;
let pool: Pool;
beforeAll(async () => {
  database = await testDatabase({ key: "framework", run: (fresh) => migrate(fresh, APP_SCHEMA, APP_MIGRATIONS) });
  pool = database.pool(APP_SCHEMA);
});
afterAll(async () => {
  await pool.end();
  await database.close();
});

let service: FakeIdentityService;
let lines: string[];
let sender: ChangeReportSender;
const startSender = (more: Partial<Parameters<typeof createChangeReportSender>[0]> = {}) =>
  createChangeReportSender({
    store: changeReportStore(pool),
    service,
    log: (...line) => void lines.push(logText(...line)),
    ...more,
  });
beforeEach(async () => {
  service = await startFakeIdentityService();
  lines = [];
  sender = startSender();
});
afterEach(async () => {
  service.setFailure(undefined);
  await sender.close();
  await service.close();
});

type Change = Parameters<typeof installationReport>[1];
const store = async (more: Partial<Change> = {}, author: ChangeAuthor = { address: "127.0.0.1" }): Promise<void> => {
  const change = {
    id: realHostPorts.newId(),
    account: "acme",
    app: "concierge",
    action: "app.change",
    members: ["greeting"],
    ...more,
  } as const;
  await pool.transaction((tx) => addChangeReport(tx, installationReport(author, change), new Date()));
  sender.wake();
};
const stored = () => changeReportStore(pool).oldest(10);

test("a change is reported to the audit log of the account, with its id and the signed-in agent, and then removed", async () => {
  const id = realHostPorts.newId();
  await store({ id, action: "app.install" }, { address: "127.0.0.1", agent: sessionAgent() });
  await waitUntil(async () => (await stored()).length === 0);
  expect(service.changes).toEqual([
    {
      account: "acme",
      id,
      action: "app.install",
      app: "concierge",
      agent_id: "agent-1",
      address: "127.0.0.1",
      members: ["greeting"],
    },
  ]);
  expect([service.faults, lines]).toEqual([[], []]);
});

test("reports arrive in the order of the changes, also after failures", async () => {
  service.setFailure(503);
  for (const name of ["one", "two", "three"]) await store({ members: [name] });
  await waitUntil(() => service.requests.length > 0);
  service.setFailure(undefined);
  sender.wake();
  await waitUntil(() => service.changes.length === 3);
  expect(service.changes.map(({ members }) => members)).toEqual([["one"], ["two"], ["three"]]);
});

test("a report is kept while the service fails, and the next process sends it", async () => {
  service.setFailure(500);
  await store();
  await sender.close();
  expect(await stored()).toHaveLength(1);
  service.setFailure(undefined);
  sender = startSender();
  sender.wake();
  await waitUntil(() => service.changes.length > 0);
  expect(service.changes).toHaveLength(1);
});

test("a report that the service refuses is not repeated, and the log says what the audit log lacks", async () => {
  service.setFailure(422);
  await store();
  await waitUntil(async () => (await stored()).length === 0);
  service.setFailure(undefined);
  await store({ members: ["later"] });
  await waitUntil(() => service.changes.length > 0);
  expect(service.changes.map(({ members }) => members)).toEqual([["later"]]);
  expect(lines).toEqual(["error: The audit log lacks a change of concierge (app.change): the service answered 422."]);
});

test("a report of an account that is deleted is dropped", async () => {
  service.setFailure(404);
  await store();
  await waitUntil(async () => (await stored()).length === 0);
  expect([await stored(), lines]).toEqual([[], []]);
});

test("a change with more and longer names than the row admits is reported in its bounds", async () => {
  const members = Array.from({ length: 1_200 }, (_, index) => `${index} ${"x".repeat(300)}`);
  await store({ app: "a".repeat(300), members });
  await waitUntil(() => service.changes.length > 0);
  expect([service.faults, (service.changes[0]?.["members"] as string[]).length]).toEqual([[], 1_000]);
});

test("a close gives up a service that does not answer in time, and keeps the report", async () => {
  await sender.close();
  sender = startSender({ reportTimeoutMs: 600_000, closeTimeoutMs: 50 });
  service.setFailure("silent");
  await store();
  await waitUntil(() => service.pending() === 1);
  await sender.close();
  service.setFailure(undefined);
  expect(await stored()).toHaveLength(1);
  sender = startSender();
});
