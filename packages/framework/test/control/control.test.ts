import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { HostedApp, Invocation } from "@parley/contract";
import { KEY } from "../support/fake-account.ts";
import { appFixture } from "../support/app-fixture.ts";
import { ADMIN_KEY, messageEvent, hostFixture, type HostFixture } from "../support/host-fixture.ts";

const MANIFEST = {
  "platform-version": "3.0",
  modules: {
    common: {
      events: {
        onAppInstall: { handler: "onAppInstallHandler" },
        onScheduledEvent: { handler: "onScheduledHandler" },
      },
      functions: { add: { timeout: 20 } },
    },
    chat_conversation: { events: { onMessageCreate: { handler: "onMessageCreateHandler" } } },
  },
};
const server = (answer: string) => `export default {
  onAppInstallHandler: function () { renderData(); },
  onScheduledHandler: function (args: { data: object }) { console.log(JSON.stringify(args.data)); },
  onMessageCreateHandler: function (args: { data: { fail?: true } }) {
    console.log("${answer}");
    if (args.data.fail) throw new Error("as asked");
  },
  add: function (args: { a: number; b: number }) { renderData(null, { sum: args.a + args.b }); },
};`;

let fixture: HostFixture;
beforeAll(async () => {
  fixture = await hostFixture("listener");
  await fixture.write("manifest.json", JSON.stringify(MANIFEST));
  await fixture.write("server/server.ts", server("first"));
  await mkdir(join(fixture.folder, "server/test_data"));
  await fixture.restart();
});
afterAll(() => fixture.close());

const request = async (path: string, method = "GET", body?: unknown, key = ADMIN_KEY) => {
  const reply = await fetch(`${fixture.host.url}/admin/${path}`, {
    method,
    headers: {
      authorization: `Bearer ${key}`,
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await reply.text();
  return { status: reply.status, body: (text === "" ? undefined : JSON.parse(text)) as unknown };
};
const raised = async (body: unknown) => {
  const answer = await request("events", "POST", body);
  expect(answer.status).toBe(200);
  return answer.body as Invocation;
};
const sources = async () =>
  Object.fromEntries(
    ((await request("app")).body as HostedApp).events.map(({ event, payload }) => [event, payload.from]),
  );

test.each([
  ["GET", "app"],
  ["GET", "activity"],
  ["GET", "invocations"],
  ["GET", "invocations?follow=true"],
  ["GET", "invocations/x"],
  ["POST", "invocations/x/replay"],
  ["POST", "events"],
  ["POST", "functions"],
  ["POST", "install"],
  ["POST", "uninstall"],
])("%s /admin/%s requires the admin key", async (method, path) => {
  for (const key of ["", "wrong", `${ADMIN_KEY}x`, ADMIN_KEY.slice(0, -1)])
    expect(await request(path, method, method === "POST" ? {} : undefined, key)).toEqual({
      status: 401,
      body: { message: "The admin key is missing or wrong: it is kept in the data folder." },
    });
});

describe("before the app is installed", () => {
  test("GET /admin/events lists the app's events and no account", async () => {
    const { body } = await request("app");
    expect(body).toEqual({
      name: "listener",
      folder: fixture.folder,
      events: [
        ["onAppInstall", "common", "onAppInstallHandler", "set-up"],
        ["onScheduledEvent", "common", "onScheduledHandler", "scheduled"],
        ["onMessageCreate", "chat_conversation", "onMessageCreateHandler", "product"],
        ["add", "common", "add", "function"],
      ].map(([event, module, handler, kind]) => ({ event, module, handler, kind, payload: { from: "sample" } })),
    });
  });

  test.each([
    ["events", { event: "onMessageCreate" }],
    ["functions", { name: "add" }],
  ])("POST /admin/%s is rejected with a next step", async (path, body) => {
    expect(await request(path, "POST", body)).toEqual({
      status: 409,
      body: { message: expect.stringContaining("listener is not installed: open its installation page") },
    });
  });

  test("an installation with invalid values is rejected by key", async () => {
    const { status, body } = await request("install", "POST", { values: { api_key: "wrong" } });
    expect(status).toBe(200);
    expect(body).toMatchObject({ ok: false, errors: { api_key: expect.any(String) } });
  });

  test("an installation uses defaults, and the account's own URL and key", async () => {
    expect(await request("install", "POST", {})).toEqual({ status: 200, body: { ok: true } });
    expect(await fixture.host.installation()).toMatchObject({
      account: "acme",
      values: { domain: "acme.parley.localhost", note: "usual" },
    });
  });
});

describe("POST /admin/events calls a handler", () => {
  test("with a given payload, including the parameters of the installation", async () => {
    const data = { nothing: true };
    const one = await raised({ event: "onMessageCreate", payload: { data, iparams: { note: "not mine" } } });
    expect(one).toMatchObject({
      ok: true,
      event: "onMessageCreate",
      handler: "onMessageCreateHandler",
      kind: "product",
      lines: [{ level: "info", text: "first" }],
      payload: { data, iparams: { domain: "acme.parley.localhost", note: "usual" } },
    });
    expect(JSON.stringify(one)).not.toContain(KEY);
  });

  test("with a sample payload if no other is known", async () => {
    expect((await sources())["onMessageCreate"]).toBe("sample");
    const { payload } = await raised({ event: "onMessageCreate" });
    expect(payload).toMatchObject({
      event: "onMessageCreate",
      domain: "acme.parley.localhost",
      data: { actor: { type: "user" }, message: { messages: [{ message_parts: [{ text: { content: "Hello" } }] }] } },
    });
  });

  test("with the newest real payload once the service has sent one", async () => {
    expect(await fixture.deliver(messageEvent("really"))).toBe(204);
    expect((await sources())["onMessageCreate"]).toBe("recorded");
    const { payload } = await raised({ event: "onMessageCreate" });
    expect(JSON.stringify(payload)).toContain('"really"');
  });

  test("with the payload of the author's own file first, also from the module's folder", async () => {
    await mkdir(join(fixture.folder, "server/test_data/chat_conversation"));
    await fixture.write("server/test_data/chat_conversation/onMessageCreate.json", '{"data": {"from": "module"}}');
    expect(await raised({ event: "onMessageCreate" })).toMatchObject({ payload: { data: { from: "module" } } });
    await fixture.write("server/test_data/onMessageCreate.json", '{"data": {"from": "file"}}');
    expect(await raised({ event: "onMessageCreate" })).toMatchObject({ payload: { data: { from: "file" } } });
    expect((await sources())["onMessageCreate"]).toBe("file");
  });

  test.each([
    ["{\n  no", "server/test_data/onScheduledEvent.json:2"],
    ["[]", "a payload is an object"],
  ])("and rejects a file that is %j by name", async (text, word) => {
    await fixture.write("server/test_data/onScheduledEvent.json", text);
    const { status, body } = await request("events", "POST", { event: "onScheduledEvent" });
    expect({ status, body }).toEqual({ status: 422, body: { message: expect.stringContaining(word) } });
    await fixture.write("server/test_data/onScheduledEvent.json", '{"data": {}}');
  });

  test("and returns the stack of a failing handler in the app's own files", async () => {
    const one = await raised({ event: "onMessageCreate", payload: { data: { fail: true } } });
    expect(one).toMatchObject({ ok: false, error: expect.stringContaining("as asked") });
    expect(one.stack).toContain("server/server.ts:6:");
  });

  test("and rejects an event without a handler with the list of known events", async () => {
    expect(await request("events", "POST", { event: "onUserCreate" })).toEqual({
      status: 404,
      body: {
        message:
          "The app has no handler for onUserCreate. It handles: onAppInstall, onMessageCreate, onScheduledEvent.",
      },
    });
  });

  test.each([{}, { event: {} }, { event: "onMessageCreate", payload: [] }, { event: "" }])(
    "and rejects a body such as %j",
    async (body) => {
      expect((await request("events", "POST", body)).status).toBe(400);
    },
  );
});

test("POST /admin/functions calls a function with its arguments and records the answer", async () => {
  const { body } = await request("functions", "POST", { name: "add", args: { a: 1, b: 2 } });
  expect(body).toMatchObject({ ok: true, kind: "function", event: "add", payload: { a: 1, b: 2 } });
  expect(JSON.stringify((body as Invocation).output)).toContain('"sum":3');
  const unknown = await request("functions", "POST", { name: "subtract" });
  expect(unknown).toEqual({
    status: 404,
    body: { message: "The manifest names no function subtract. Its functions: add." },
  });
});

test("a replay calls the current code and is a separate invocation", async () => {
  const before = await raised({ event: "onMessageCreate", payload: { data: { n: 7 } } });
  fixture.lines.length = 0;
  await fixture.write("server/server.ts", server("second"));
  // Earlier changes of the folder may still be pending.
  const renewed = async () => (await raised({ event: "onMessageCreate" })).lines[0]?.text === "second";
  while (!(await renewed())) await fixture.waitForLog(/was reloaded/);
  const { status, body } = await request(`invocations/${before.id}/replay`, "POST");
  expect(status).toBe(200);
  expect(body).toMatchObject({ ok: true, payload: { data: { n: 7 } }, lines: [{ text: "second" }] });
  expect((body as Invocation).id).not.toBe(before.id);
  expect((await request("invocations/none/replay", "POST")).status).toBe(404);
});

test("recorded invocations are listed, found by id, and filtered", async () => {
  const { body } = await request("invocations?ok=false&event=onMessageCreate&limit=1");
  const { invocations } = body as { invocations: Invocation[] };
  expect(invocations).toMatchObject([{ ok: false, event: "onMessageCreate" }]);
  expect((await request(`invocations/${invocations[0]?.id ?? ""}`)).body).toEqual(invocations[0]);
  expect((await request("invocations/none")).status).toBe(404);
  expect((await request("invocations?limit=0")).status).toBe(400);
});

test("a follower receives each matching call, and its connection is closed when the host stops", async () => {
  const reply = await fetch(`${fixture.host.url}/admin/invocations?follow=true&event=add`, {
    headers: { authorization: `Bearer ${ADMIN_KEY}` },
  });
  const reader = (reply.body as ReadableStream<Uint8Array>).getReader();
  const read = async () => new TextDecoder().decode((await reader.read()).value);
  expect(await read()).toBe("\n");
  await raised({ event: "onMessageCreate" });
  const { body } = await request("functions", "POST", { name: "add", args: { a: 1, b: 1 } });
  expect(JSON.parse(await read())).toEqual(body);
  await fixture.restart();
  expect((await reader.read()).done).toBe(true);
});

test("an app is uninstalled from its account", async () => {
  expect(await request("uninstall", "POST")).toEqual({ status: 204, body: undefined });
  expect(await fixture.host.installation()).toBeUndefined();
});

test("the list of pending events is empty without a service that sends any", async () => {
  expect(await request("activity")).toEqual({ status: 200, body: { events: 0, schedules: false } });
});

test("an event that several modules handle is sent by module/event, and its listing names both", async () => {
  const events = (handler: string) => ({ events: { onTicketCreate: { handler } } });
  const fixture = await appFixture({
    manifest: {
      "platform-version": "3.0",
      modules: { common: {}, support_ticket: events("support"), service_ticket: events("service") },
    },
    server: "exports = { support: () => console.log('support'), service: () => console.log('service') };",
  });
  try {
    await fixture.install();
    const raise = async (event: string) => (await fixture.sendEvent(event, { data: {} })).handler;
    expect([await raise("support_ticket/onTicketCreate"), await raise("service_ticket/onTicketCreate")]).toEqual([
      "support",
      "service",
    ]);
    await expect(fixture.sendEvent("chat_user/onTicketCreate")).rejects.toThrow(
      "The app has no handler for chat_user/onTicketCreate. It handles: service_ticket/onTicketCreate, support_ticket/onTicketCreate.",
    );
  } finally {
    await fixture.close();
  }
});
