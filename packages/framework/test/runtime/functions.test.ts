import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { appFixture, type AppFixture } from "../support/app-fixture.ts";
import { KEY } from "../support/fake-account.ts";

const SERVER = `
function later(then) { return $db.get("nothing").catch(() => then()); }
exports = {
  plain: function (args) { renderData(null, { heard: args.word }); },
  asynchronous: async function (args) { await later(() => undefined); renderData(null, [args.word]); },
  nested: function (args) { later(() => setTimeout(() => renderData(null, "from " + args.word), 20)); },
  empty: function () { renderData(); },
  shown: function (args) { renderData(null, args); },
  refuses: function () { renderData({ status: 422, message: "Too small" }); },
  refusesByText: function () { renderData("Just no"); },
  forwards: async function () { try { await $request.invokeTemplate("gone", {}); } catch (error) { renderData(error); } },
  throws: function () { throw new TypeError("a mistake"); },
  forgets: async function () { await later(() => undefined); },
  large: function () { renderData(null, "x".repeat(2e6)); },
  circle: function () { const data = {}; data.own = data; renderData(null, data); },
  slow: async function () { await new Promise(() => {}); },
  twice: function () { renderData(null, 1); renderData(null, 2); },
  groups: async function () {
    console.log("asking");
    const { status } = await $request.invokeTemplate("groups", {});
    console.warn("answered %d", status);
    renderData(null, status);
  },
  unportable: async function () {
    await $db.set("empty", {});
    await $schedule.create({ name: "past", schedule_at: "2026-01-01T00:00:00Z" });
    for (const name of ["daily", "weekly"])
      await $schedule.create({ name, schedule_at: "2999-01-01T00:00:00Z", repeat: { time_unit: "days", frequency: 1 } });
    renderData(null, "x".repeat(102_399));
  },
  portable: async function () {
    await $db.set("full", { a: 1 });
    await $schedule.create({ name: "later", schedule_at: "2999-01-01T00:00:00Z" });
    renderData(null, "x".repeat(102_398));
  },
  logs: async function () { try { await $db.get("nothing"); } catch (error) { console.error(error); } renderData(); },
  wrong: async function (args) {
    const tried = await Promise.allSettled([
      $request.invokeTemplate("groups", { body: { a: 1 } }), $request.invokeTemplate(7), $request.invokeTemplate("groups", { context: [1] }),
      $db.get(), $db.set("k"), $schedule.create(), $schedule.fetch({ name: "x" }),
    ]);
    renderData(null, tried.map((one) => one.status === "fulfilled" ? "took it" : one.reason.response ?? one.reason.message));
  },
};`;
const NAMES = [...SERVER.matchAll(/^ {2}(\w+):/gm)].map(([, name = ""]) => name);

let fixture: AppFixture;
beforeAll(async () => {
  fixture = await appFixture(
    {
      server: SERVER,
      common: {
        functions: { ...Object.fromEntries(NAMES.map((name) => [name, {}])), undefinedYet: {}, slow: { timeout: 5 } },
        requests: { groups: {}, gone: {} },
      },
      iparams: {
        domain: { display_name: "Account", type: "domain", type_attributes: { product: "chat" } },
        api_key: { display_name: "Key", type: "api_key", secure: true, type_attributes: { product: "chat" } },
        note: { display_name: "Note", type: "text" },
      },
      requests: {
        groups: {
          schema: {
            method: "GET",
            host: "<%= iparam.domain %>",
            path: "/v2/groups",
            headers: { Authorization: "Bearer <%= iparam.api_key %>" },
          },
        },
        gone: { schema: { method: "GET", host: "<%= iparam.domain %>", path: "/v2/gone" } },
      },
    },
    { settings: { functionTimeoutMaxMs: 1_000 } },
  );
  expect(await fixture.install({ domain: "acme.parley.localhost", api_key: KEY, note: "n" })).toEqual({ ok: true });
});
afterAll(() => fixture.close());

describe("a function succeeds when renderData is called", () => {
  test.each([
    ["plain", { heard: "hi" }],
    ["asynchronous", ["hi"]],
    ["nested", "from hi"],
    ["empty", undefined],
    ["twice", 1],
  ])("%s", async (name, output) => {
    const invocation = await fixture.call(name, { word: "hi" });
    expect([invocation.ok, invocation.output, invocation.kind]).toEqual([true, output, "function"]);
  });

  test("and receives its arguments with the account and the parameters, except secure parameters", async () => {
    const { output } = await fixture.call("shown", { word: "hi", iparams: "mine" });
    expect(output).toEqual({
      word: "hi",
      iparams: { domain: "acme.parley.localhost", note: "n" },
      currentHost: expect.objectContaining({ subscribed_modules: ["chat_conversation"] }),
    });
  });
});

describe("a function fails with a reason if it", () => {
  test.each([
    ["refuses", /^Too small$/],
    ["refusesByText", /^Just no$/],
    ["forwards", /./],
    ["throws", /^TypeError: a mistake/],
    ["forgets", /^it ended without a call of renderData\(\)$/],
    ["large", /can't be sent: Too large/],
    ["circle", /can't be sent: .*circular/],
    ["undefinedYet", /there is no handler 'undefinedYet'/],
  ])("%s", async (name, error) => {
    const invocation = await fixture.call(name);
    expect(invocation.ok).toBe(false);
    expect(invocation.error).toMatch(error);
  });

  test("exceeds the time limit of its manifest, without affecting the limits of others", async () => {
    const invocation = await fixture.call("slow");
    expect(invocation.error).toContain("slow took more than 1 s");
    expect((await fixture.call("plain", { word: "again" })).ok).toBe(true);
  });

  test("isn't listed in the manifest", async () => {
    await expect(fixture.call("hidden")).rejects.toThrow("names no function hidden");
  });
});

test("invalid requests of an app are rejected with a message, and its process keeps running", async () => {
  expect((await fixture.call("wrong")).output).toEqual([
    "The body of a request must be a text: use JSON.stringify",
    "The name of a request template must be a text",
    "context and query of a request must be objects",
    "The key must be a text of 1 to 60 characters",
    "The value must be an object",
    "$schedule takes an object of options",
    "Schedule does not exist",
  ]);
});

test("a call is recorded with its lines and requests, without secure values", async () => {
  const invocation = await fixture.call("groups");
  expect(invocation).toMatchObject({
    app: "app-of-the-test",
    account: "acme",
    handler: "groups",
    ok: true,
    output: 200,
    lines: [
      { level: "info", text: "asking" },
      { level: "warn", text: "answered 200" },
    ],
    requests: [
      {
        method: "GET",
        url: "https://acme.parley.localhost/v2/groups",
        template: "groups",
        status: 200,
        attempts: 1,
      },
    ],
  });
  expect(JSON.stringify(invocation)).not.toContain(KEY);
});

test("a logged error shows its members and no code of the host", async () => {
  const { lines } = await fixture.call("logs");
  expect(lines.map(({ text }) => text)).toEqual([
    expect.stringMatching(/^Error: Record not found(\n +at [^\n]*server\/server\.js[^\n]*)* \{\n {2}status: 404\n\}$/),
  ]);
});

test("two concurrent calls each have their own lines", async () => {
  const both = await Promise.all([fixture.call("groups"), fixture.call("groups")]);
  expect(both.map(({ lines, requests }) => [lines.length, requests.length])).toEqual([
    [2, 1],
    [2, 1],
  ]);
});

test("an event handler called manually with a payload receives the current parameters", async () => {
  const { payload, kind, ok } = await fixture.sendEvent("onMessageCreate", {
    data: { a: 1 },
    iparams: { note: "old" },
  });
  expect([kind, ok]).toEqual(["product", true]);
  expect(payload).toMatchObject({ event: "onMessageCreate", data: { a: 1 }, iparams: { note: "n" } });
});

test("what other hosts refuse is logged once while the app is developed, and what they accept is not", async () => {
  const logged = () => fixture.lines.filter((line) => /other hosts/.test(line));
  await fixture.call("portable");
  expect(logged()).toEqual([]);
  await fixture.call("unportable");
  await fixture.call("unportable");
  expect(logged().map((line) => line.replace(/^.*?warn(?:ing)?:? /i, ""))).toEqual([
    "$db.set stored an empty object: other hosts refuse it.",
    "A schedule begins less than 5 minutes ahead: other hosts refuse it.",
    "The app has more than one recurring schedule: other hosts permit one for each installation.",
    "The function 'unportable' returned more than 100 KB: other hosts refuse it.",
  ]);
});
