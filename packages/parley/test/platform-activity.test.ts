import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type {
  AuditEntry,
  CatalogueApp,
  CatalogueVersionDetails,
  InstallationSchedule,
  InvocationDetails,
  InvocationSummary,
  RaisableEvent,
} from "@parley/contract";
import { greeter } from "./greeter-app.ts";
import { createAgent } from "./platform-browser-sessions.ts";
import { platformHarness, type PlatformHarness } from "./platform-harness.ts";
import { serviceSession } from "./service-session.ts";

/** Activity of installations, as the admins of their accounts see it, and the way of an admin's request through the service. */

let harness: PlatformHarness;
let conversation: string;
beforeAll(async () => {
  harness = await platformHarness();
  await harness.publish(greeter("1.0.0"));
  await harness.install("acme", { name: "greeter", iparams: { greeting: "Hi" } });
  conversation = await harness.write("acme", "one");
  await harness.untilReplies("acme", conversation, 1);
});
afterAll(() => harness.close());

const APP = "/platform/accounts/acme/apps/greeter";
const OTHER = "/platform/accounts/solo/apps/greeter";
const refused = (status: number, token: string) => ({ status, body: expect.objectContaining({ status: token }) });

interface Page {
  readonly invocations: readonly InvocationSummary[];
  readonly next_before?: string;
}
const calls = async (query = "") => (await harness.request<Page>("GET", `${APP}/invocations${query}`)).body;
const raise = (event: string, payload: object, path = APP) =>
  harness.request<InvocationDetails>("POST", `${path}/events`, { event, payload });

describe("calls", () => {
  test("GET /platform/accounts/{account}/apps/{name}/invocations 200 lists them, the newest first, by event and result", async () => {
    const { invocations } = await harness.until(async () => {
      const page = await calls("?event=onMessageCreate");
      return page.invocations.length > 1 ? page : undefined;
    });
    expect(new Set(invocations.map(({ event }) => event))).toEqual(new Set(["onMessageCreate"]));
    const ids = invocations.map(({ id }) => id);
    expect(ids).toEqual([...ids].sort().reverse());
    expect(invocations[0]).toEqual({
      id: expect.any(String),
      kind: "product",
      event: "onMessageCreate",
      handler: "answer",
      source: expect.any(String),
      begun: expect.stringMatching(/Z$/),
      ms: expect.any(Number),
      ok: true,
    });
    expect((await calls("?result=failed")).invocations).toEqual([]);
    expect((await calls(`?source=${invocations[0]?.source ?? ""}`)).invocations).toEqual([invocations[0]]);
    const begun = Date.parse(invocations[0]?.begun ?? "");
    const later = new Date(begun + 1).toISOString();
    expect((await calls(`?event=onMessageCreate&from=${later}`)).invocations).toEqual([]);
    expect((await calls(`?event=onMessageCreate&to=${later}`)).invocations).toEqual(invocations);
  });

  test("a long list is paged without gaps and repetitions", async () => {
    for (let index = 0; index < 26; index += 1) await raise("onMessageCreate", { data: { actor: { type: "agent" } } });
    const first = await calls();
    expect(first.invocations).toHaveLength(25);
    const rest = await calls(`?before=${first.next_before ?? ""}`);
    expect(rest.next_before).toBeUndefined();
    const ids = [...first.invocations, ...rest.invocations].map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.length).toBeGreaterThan(27);
  });

  test("GET /platform/accounts/{account}/apps/{name}/invocations/{invocation_id} 200 has payload, log and requests, and no secure value", async () => {
    const { body: raised } = await raise("onExternalEvent", { data: { id: conversation } });
    const { status, body } = await harness.request<InvocationDetails>("GET", `${APP}/invocations/${raised.id}`);
    expect([status, body]).toEqual([200, raised]);
    expect(body).toMatchObject({ ok: true, payload: { data: { id: conversation }, iparams: { greeting: "Hi" } } });
    expect(body.requests).toEqual([
      expect.objectContaining({ method: "POST", status: 200, template: "reply", ms: expect.any(Number) }),
    ]);
    // Its key was in a header of the request.
    expect(JSON.stringify(body)).not.toMatch(/parley_[\w-]{43}/);
    expect(body.payload).not.toHaveProperty("iparams.api_key");
  });

  test("GET /platform/accounts/{account}/apps/{name}/invocations APP_NOT_INSTALLED on an account without the app", async () => {
    expect(await harness.request("GET", `${OTHER}/invocations`)).toEqual(refused(404, "APP_NOT_INSTALLED"));
  });
  test("GET /platform/accounts/{account}/apps/{name}/invocations/{invocation_id} APP_NOT_INSTALLED on an account without the app", async () => {
    const [call] = (await calls()).invocations;
    expect(await harness.request("GET", `${OTHER}/invocations/${call?.id ?? ""}`)).toEqual(
      refused(404, "APP_NOT_INSTALLED"),
    );
  });
  test("GET /platform/accounts/{account}/apps/{name}/invocations/{invocation_id} INVOCATION_NOT_FOUND for an unknown id", async () => {
    for (const id of ["none", "%27", "0"])
      expect(await harness.request("GET", `${APP}/invocations/${id}`)).toEqual(refused(404, "INVOCATION_NOT_FOUND"));
  });
  test.each(["result=maybe", "from=yesterday", "before=", "event=%00"])("the query %s is refused", async (query) => {
    expect(await harness.request("GET", `${APP}/invocations?${query}`)).toEqual(refused(400, "INVALID_VALUE"));
  });
});

describe("schedules", () => {
  test("GET /platform/accounts/{account}/apps/{name}/schedules 200 lists them with their next time and their data", async () => {
    await harness.say("acme", conversation, "schedule 3600000 later");
    const found = await harness.until(async () => {
      const { body } = await harness.request<{ schedules: InstallationSchedule[]; failed: unknown[] }>(
        "GET",
        `${APP}/schedules`,
      );
      return body.schedules.length > 0 ? body : undefined;
    });
    expect(found).toEqual({
      schedules: [
        {
          name: "later",
          data: { id: conversation, text: "later" },
          next_time: expect.stringMatching(/Z$/),
          created_time: expect.stringMatching(/Z$/),
        },
      ],
      failed: [],
    });
  });
  test("GET /platform/accounts/{account}/apps/{name}/schedules APP_NOT_INSTALLED on an account without the app", async () => {
    expect(await harness.request("GET", `${OTHER}/schedules`)).toEqual(refused(404, "APP_NOT_INSTALLED"));
  });
});

describe("events", () => {
  const EVENTS = ["onScheduledEvent", "onExternalEvent", "onMessageCreate"];

  test("GET /platform/accounts/{account}/apps/{name}/events 200 lists those that can be raised, with samples", async () => {
    const { body } = await harness.request<{ events: RaisableEvent[] }>("GET", `${APP}/events`);
    expect(body.events.map(({ event }) => event).sort()).toEqual([...EVENTS].sort());
    const message = body.events.find(({ event }) => event === "onMessageCreate");
    expect(message).toMatchObject({ handler: "answer", sample: { event: "onMessageCreate", data: { actor: {} } } });
  });
  test("GET /platform/accounts/{account}/apps/{name}/events APP_NOT_INSTALLED on an account without the app", async () => {
    expect(await harness.request("GET", `${OTHER}/events`)).toEqual(refused(404, "APP_NOT_INSTALLED"));
  });
  test("POST /platform/accounts/{account}/apps/{name}/events 200 calls the handler with the payload and the installation's parameters", async () => {
    const { status, body } = await raise("onExternalEvent", {
      data: { id: conversation },
      iparams: { greeting: "No" },
    });
    expect([status, body.ok, body.handler]).toEqual([200, true, "external"]);
    expect(body.payload).toMatchObject({ data: { id: conversation }, iparams: { greeting: "Hi" } });
    const replies = await harness.replies("acme", conversation);
    expect(replies).toContain("external");
  });
  test("POST /platform/accounts/{account}/apps/{name}/events EVENT_NOT_HANDLED for another event, and for one of the installation", async () => {
    for (const event of ["onUserCreate", "onAppUninstall", "constructor"])
      expect(await raise(event, {})).toEqual(refused(422, "EVENT_NOT_HANDLED"));
  });
  test("POST /platform/accounts/{account}/apps/{name}/events APP_PAUSED while the app is paused", async () => {
    await harness.request("POST", `${APP}/pause`);
    expect(await raise("onMessageCreate", {})).toEqual(refused(409, "APP_PAUSED"));
    await harness.request("POST", `${APP}/resume`);
  });
  test("POST /platform/accounts/{account}/apps/{name}/events APP_NOT_INSTALLED on an account without the app", async () => {
    expect(await raise("onMessageCreate", {}, OTHER)).toEqual(refused(404, "APP_NOT_INSTALLED"));
  });
  test("a process that does not run the app raises its event in the process that does", async () => {
    const other = await harness.startAnother({ appsUrl: harness.platform.appsOrigin });
    const { body } = await harness.request<InvocationDetails>(
      "POST",
      `${APP}/events`,
      { event: "onExternalEvent", payload: { data: { id: conversation } } },
      undefined,
      `http://127.0.0.1:${other.port}`,
    );
    expect(body).toMatchObject({ ok: true, handler: "external" });
    await other.close();
  });
});

describe("the catalogue", () => {
  const CATALOGUE = "/platform/accounts/acme/catalogue";

  test("GET /platform/accounts/{account}/catalogue/{name}/versions/{version} 200 tells what the version does", async () => {
    await harness.publish(greeter("1.1.0", { "app/index.html": "<p>page</p>" }));
    const { status, body } = await harness.request<CatalogueVersionDetails>(
      "GET",
      `${CATALOGUE}/greeter/versions/1.0.0`,
    );
    expect([status, body.version]).toEqual([200, "1.0.0"]);
    expect(body.declaration).toMatchObject({ permissions: ["account:read", "message:create"], handlesSchedules: true });
  });
  test("GET /platform/accounts/{account}/catalogue/{name}/versions/{version} APP_VERSION_NOT_FOUND for an unknown version", async () => {
    expect(await harness.request("GET", `${CATALOGUE}/greeter/versions/9`)).toEqual(
      refused(404, "APP_VERSION_NOT_FOUND"),
    );
  });
  test("GET /platform/accounts/{account}/catalogue/{name}/versions/{version} APP_NOT_FOUND for an app that is not offered to the account", async () => {
    await harness.request("PUT", "/platform/apps/greeter", { accounts: ["solo"] });
    expect(await harness.request("GET", `${CATALOGUE}/greeter/versions/1.0.0`)).toEqual(refused(404, "APP_NOT_FOUND"));
    await harness.request("PUT", "/platform/apps/greeter", { accounts: null });
  });
  test("an app of the catalogue has the address of its installation page", async () => {
    const { body } = await harness.request<{ apps: CatalogueApp[] }>("GET", CATALOGUE);
    expect(body.apps[0]?.page).toBe(`http://greeter--acme.apps.localhost:${harness.platform.port}/custom_configs`);
  });
});

test("GET /platform/accounts/{account}/folder-apps 200 is empty where apps are published only; ACCOUNT_NOT_FOUND for another account", async () => {
  const list = (account: string) => harness.request("GET", `/platform/accounts/${account}/folder-apps`);
  expect(await list("acme")).toEqual({ status: 200, body: { apps: [] } });
  expect(await list("none")).toEqual(refused(404, "ACCOUNT_NOT_FOUND"));
});

describe("through the service", () => {
  test("an admin pauses and resumes an app, and the audit log names the admin", async () => {
    const agent = await createAgent(harness, "acme", "ADMIN");
    const { ask } = await serviceSession(harness, agent);
    expect(await ask("POST", `${APP}/pause`)).toMatchObject({ status: 200, body: { state: "paused" } });
    expect(await ask("POST", `${APP}/resume`)).toMatchObject({ status: 200, body: { state: "active" } });
    expect(await ask("GET", "/platform/accounts/acme/apps")).toMatchObject({
      status: 200,
      body: { apps: [{ name: "greeter", state: "active" }] },
    });
    expect(await ask("POST", `${OTHER}/pause`)).toMatchObject({ status: 403 });
    const entries = await harness.until(async () => {
      const { body } = await harness.admin<{ entries: AuditEntry[] }>("GET", "/admin/accounts/acme/audit-log");
      const found = body.entries.filter(({ action }) => action === "app.pause" || action === "app.resume");
      return found.some(({ actor }) => actor.id === agent) ? found : undefined;
    });
    expect(entries.filter(({ actor }) => actor.id === agent).map(({ action }) => action)).toEqual([
      "app.resume",
      "app.pause",
    ]);
  });
});
