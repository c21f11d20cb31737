import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { statement } from "@parley/database";
import type { AuditEntry, FailedScheduleRun, InstallationSchedule, InvocationDetails } from "@parley/contract";
import { greeter } from "./greeter-app.ts";
import { createAgent } from "./platform-browser-sessions.ts";
import { platformHarness, type PlatformHarness } from "./platform-harness.ts";
import { serviceSession, type ServiceSession } from "./service-session.ts";

/** Actions of an admin on schedules and events of an installation, and their entries in the audit log. */

const APP = "/platform/accounts/acme/apps/greeter";
const OTHER = "/platform/accounts/solo/apps/greeter";
const ADD_FAILED = statement(
  "",
  `insert into failed_schedules (id, project, account, source, name, data, due_time, tries, reason, failed_time)
   values ($1, 'greeter', 'acme', $1, $2, $3, now(), 4, 'Broken on purpose', now())`,
);
const ADD = statement(
  "",
  `insert into schedules (project, account, name, data, schedule_at, due_time, created_time, updated_time)
   values ('greeter', 'acme', $1, '{}', $2, $2, now(), now())`,
);
const LATER = new Date(Date.now() + 86_400_000);

let harness: PlatformHarness;
let conversation: string;
let admin: ServiceSession;
beforeAll(async () => {
  harness = await platformHarness();
  await harness.publish(greeter("1.0.0"));
  await harness.install("acme");
  conversation = await harness.write("acme", "one");
  await harness.untilReplies("acme", conversation, 1);
  admin = await serviceSession(harness, await createAgent(harness, "acme", "ADMIN"));
});
afterAll(() => harness.close());

const refused = (status: number, token: string) => ({ status, body: expect.objectContaining({ status: token }) });
const listed = async () =>
  (await admin.ask<{ schedules: InstallationSchedule[]; failed: FailedScheduleRun[] }>("GET", `${APP}/schedules`)).body;
const remove = (name: string, path = APP) =>
  admin.ask<InstallationSchedule>("DELETE", `${path}/schedules?${new URLSearchParams({ schedule: name }).toString()}`);
const replay = (id: string, path = APP) =>
  admin.ask<InvocationDetails>("POST", `${path}/schedules/failed/${id}/replay`);
const addFailed = (id: string, data: object = { id: conversation, text: id }) =>
  harness.pool.rows(ADD_FAILED, [id, `schedule of ${id}`, JSON.stringify(data)]);
/** Entries of an action about the app, the newest first, as the agent and what the entry names. */
const entries = async (action: string) => {
  const { body } = await harness.admin<{ entries: AuditEntry[] }>(
    "GET",
    `/admin/accounts/acme/audit-log?action=${action}&subject=greeter`,
  );
  return body.entries.map(({ actor, address, details }) => ({ agent: actor.id, address, details }));
};
/** Waits for the newest entry of an action: the platform reports changes a moment after they are made. */
const untilEntry = (action: string, member: string) =>
  harness.until(async () => {
    const [newest] = await entries(action);
    return JSON.stringify(newest?.details) === JSON.stringify({ members: [member] }) ? newest : undefined;
  });

describe("deleting a schedule", () => {
  // Names that are special in addresses.
  test.each(["later", "..", ".", "a/b?c&d#e", "ä 日 %2e%2e"])(
    "DELETE /platform/accounts/{account}/apps/{name}/schedules 200 deletes the schedule %s only",
    async (name) => {
      await harness.pool.rows(ADD, [name, LATER]);
      await harness.pool.rows(ADD, ["other", LATER]);
      const { status, body } = await remove(name);
      expect([status, body.name, body.next_time]).toEqual([200, name, LATER.toISOString()]);
      expect((await listed()).schedules.map((each) => each.name)).toEqual(["other"]);
      expect(await untilEntry("app.delete_schedule", name)).toMatchObject({ agent: admin.agent, address: "127.0.0.1" });
      await remove("other");
    },
  );
  test("a deleted schedule does not fire", async () => {
    await harness.say("acme", conversation, "schedule 4000 never");
    await harness.until(async () => ((await listed()).schedules.length > 0 ? true : undefined));
    expect((await remove("never")).status).toBe(200);
    // A later schedule has fired, so that the time of the deleted one has passed.
    await harness.say("acme", conversation, "schedule 4500 after");
    await harness.until(async () =>
      (await harness.replies("acme", conversation)).includes("scheduled after") ? true : undefined,
    );
    expect(await harness.replies("acme", conversation)).not.toContain("scheduled never");
    await remove("after");
    await untilEntry("app.delete_schedule", "after");
  });
  test("DELETE /platform/accounts/{account}/apps/{name}/schedules SCHEDULE_NOT_FOUND for an unknown name, without an entry", async () => {
    const before = await entries("app.delete_schedule");
    for (const name of ["none", "after"]) expect(await remove(name)).toEqual(refused(404, "SCHEDULE_NOT_FOUND"));
    expect(await entries("app.delete_schedule")).toEqual(before);
  });
  test("DELETE /platform/accounts/{account}/apps/{name}/schedules APP_NOT_INSTALLED on an account without the app", async () => {
    const path = `${OTHER}/schedules?schedule=later`;
    expect(await harness.request("DELETE", path)).toEqual(refused(404, "APP_NOT_INSTALLED"));
    expect(await remove("later", OTHER)).toEqual(refused(403, "FORBIDDEN"));
  });
  test("a request without a name, or with a longer one than a schedule has, is refused", async () => {
    for (const query of ["", "?schedule=", `?schedule=${"x".repeat(31)}`, "?schedule=%00"])
      expect(await harness.request("DELETE", `${APP}/schedules${query}`)).toEqual(refused(400, "INVALID_VALUE"));
  });
});

describe("repeating a failed run", () => {
  test("POST /platform/accounts/{account}/apps/{name}/schedules/failed/{run_id}/replay 200 calls the handler with the run's data, and removes the run", async () => {
    await addFailed("run-1");
    expect((await listed()).failed).toMatchObject([{ id: "run-1", reason: "Broken on purpose" }]);
    const { status, body } = await replay("run-1");
    expect([status, body.ok, body.event, body.handler]).toEqual([200, true, "onScheduledEvent", "scheduled"]);
    expect(await harness.replies("acme", conversation)).toContain("scheduled run-1");
    expect((await listed()).failed).toEqual([]);
    expect(await untilEntry("app.replay_schedule", "schedule of run-1")).toMatchObject({ agent: admin.agent });
  });
  test("a run that fails again stays, and the answer has the error", async () => {
    await addFailed("run-2", { id: "no-conversation", text: "x" });
    const { status, body } = await replay("run-2");
    expect([status, body.ok, typeof body.error]).toEqual([200, false, "string"]);
    expect((await listed()).failed).toMatchObject([{ id: "run-2" }]);
  });
  test("POST /platform/accounts/{account}/apps/{name}/schedules/failed/{run_id}/replay APP_PAUSED while the app is paused: the run stays, without an entry", async () => {
    const before = await entries("app.replay_schedule");
    await harness.request("POST", `${APP}/pause`);
    expect(await replay("run-2")).toEqual(refused(409, "APP_PAUSED"));
    await harness.request("POST", `${APP}/resume`);
    expect((await listed()).failed).toMatchObject([{ id: "run-2" }]);
    expect(await entries("app.replay_schedule")).toEqual(before);
  });
  test("POST /platform/accounts/{account}/apps/{name}/schedules/failed/{run_id}/replay FAILED_RUN_NOT_FOUND for an unknown id", async () => {
    for (const id of ["run-1", "none", "%27", "x".repeat(200)])
      expect(await replay(id)).toEqual(refused(404, "FAILED_RUN_NOT_FOUND"));
  });
  test("POST /platform/accounts/{account}/apps/{name}/schedules/failed/{run_id}/replay APP_NOT_INSTALLED on an account without the app", async () => {
    const path = `${OTHER}/schedules/failed/run-2/replay`;
    expect(await harness.request("POST", path)).toEqual(refused(404, "APP_NOT_INSTALLED"));
  });
  test("POST /platform/accounts/{account}/apps/{name}/schedules/failed/{run_id}/replay EVENT_NOT_HANDLED by a version without the handler", async () => {
    const files = greeter("2.0.0");
    const manifest = structuredClone(files["manifest.json"]) as {
      modules: { common: { events: Record<string, unknown> } };
    };
    delete manifest.modules.common.events["onScheduledEvent"];
    await harness.publish({ ...files, "manifest.json": manifest });
    await harness.request("POST", `${APP}/upgrade`, {});
    expect(await replay("run-2")).toEqual(refused(422, "EVENT_NOT_HANDLED"));
    await harness.request("POST", `${APP}/rollback`);
  });
});

describe("the audit log", () => {
  beforeEach(() => harness.request("POST", `${APP}/resume`));

  test("has an entry of an event that an admin raised, with its name and without its payload", async () => {
    const payload = { data: { id: conversation, canary: "canary-of-a-payload" } };
    expect(await admin.ask("POST", `${APP}/events`, { event: "onExternalEvent", payload })).toMatchObject({
      status: 200,
    });
    expect(await untilEntry("app.raise_event", "onExternalEvent")).toEqual({
      agent: admin.agent,
      address: "127.0.0.1",
      details: { members: ["onExternalEvent"] },
    });
  });
  test("has an entry of a raised event whose handler failed, and no entry of a refused event", async () => {
    const raise = (event: string) => admin.ask("POST", `${APP}/events`, { event, payload: {} });
    expect(await raise("onMessageCreate")).toMatchObject({ status: 200, body: { ok: false } });
    await untilEntry("app.raise_event", "onMessageCreate");
    const before = await entries("app.raise_event");
    expect(await raise("onUserCreate")).toEqual(refused(422, "EVENT_NOT_HANDLED"));
    expect(await entries("app.raise_event")).toEqual(before);
  });
});
