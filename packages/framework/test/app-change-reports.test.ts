import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { setTimeout as wait } from "node:timers/promises";
import { createAppChangeReports, type AppChange, type AppChangeReports } from "../src/identity/app-change-reports.ts";
import { sessionAgent, startFakeIdentityService, type FakeIdentityService } from "./fake-identity-service.ts";

let service: FakeIdentityService;
let lines: string[];
let reports: AppChangeReports;
beforeEach(async () => {
  service = await startFakeIdentityService();
  lines = [];
  reports = createAppChangeReports(
    { origin: service.origin, adminKey: service.adminKey, account: "acme" },
    { retryDelaysMs: [20, 20, 20], timeoutMs: 200, log: (line) => void lines.push(line) },
  );
});
afterEach(async () => {
  await reports.close();
  await service.close();
});

const change = (more: Partial<AppChange> = {}): AppChange => ({
  action: "app.change",
  app: "concierge",
  address: "127.0.0.1",
  members: ["greeting"],
  ...more,
});
const until = async (condition: () => boolean): Promise<void> => {
  for (let waited = 0; waited < 3_000 && !condition(); waited += 10) await wait(10);
};

test("a change is reported to the audit log of the account, with the signed-in agent", async () => {
  reports.report(change({ action: "app.install", agent: sessionAgent() }));
  await until(() => service.changes.length > 0);
  expect(service.changes).toEqual([
    {
      account: "acme",
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
  for (const name of ["one", "two", "three"]) reports.report(change({ members: [name] }));
  await wait(30);
  service.setFailure(undefined);
  await until(() => service.changes.length === 3);
  expect(service.changes.map(({ members }) => members)).toEqual([["one"], ["two"], ["three"]]);
});

test("a report is given up after its attempts, and the log says what the audit log lacks", async () => {
  service.setFailure(500);
  reports.report(change());
  await until(() => lines.length > 0);
  expect(lines).toEqual(["error: The audit log lacks a change of concierge (app.change): the service answered 500."]);
  service.setFailure(undefined);
  reports.report(change({ members: ["next"] }));
  await until(() => service.changes.length > 0);
  expect(service.changes.map(({ members }) => members)).toEqual([["next"]]);
});

test("a report that the service refuses is not repeated", async () => {
  service.setFailure(404);
  reports.report(change());
  await until(() => lines.length > 0);
  service.setFailure(undefined);
  await wait(100);
  expect([service.changes, lines.length]).toEqual([[], 1]);
});

test("a change with more and longer names than the row admits is reported in its bounds", async () => {
  const members = Array.from({ length: 1_200 }, (_, index) => `${index} ${"x".repeat(300)}`);
  reports.report(change({ app: "a".repeat(300), members }));
  await until(() => service.changes.length > 0);
  expect([service.faults, (service.changes[0]?.["members"] as string[]).length]).toEqual([[], 1_000]);
});

test("a close waits two seconds at most for a service that does not answer, and logs what is lost", async () => {
  const patient = createAppChangeReports(
    { origin: service.origin, adminKey: service.adminKey, account: "acme" },
    { log: (line) => void lines.push(line) },
  );
  service.setFailure("silent");
  patient.report(change());
  const begun = performance.now();
  await patient.close();
  expect(performance.now() - begun).toBeLessThan(4_000);
  expect(lines).toEqual([
    "error: The audit log lacks a change of concierge (app.change): the host was stopped before the service answered.",
  ]);
});
