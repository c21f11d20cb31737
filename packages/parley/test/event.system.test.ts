import { stripVTControlCharacters } from "node:util";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { Invocation } from "@parley/contract";
import { waitUntil } from "../../../test/support/wait-until.ts";
import { appHarness, type AppHarness } from "../../../test/support/app-harness.ts";

const SERVER = `
const text = (args) => args.data.message.messages[0].message_parts[0].text.content;
exports = {
  onAppInstallHandler: function () { renderData(); },
  onMessageCreateHandler: function (args) {
    console.info("heard " + text(args));
    if (text(args) === "fail") throw new Error("the handler's own mistake");
    if (text(args) === "odd") console.warn("\\u001b[2Jgone " + "x".repeat(200));
    return $request.invokeTemplate("listGroups", {});
  },
  onUserUpdateHandler: function (args) { console.info(JSON.stringify(args.data.changes.model_changes)); },
  add: function (args) { renderData(null, { sum: args.a + args.b }); },
};`;
const MANIFEST = {
  "platform-version": "3.0",
  modules: {
    common: {
      events: { onAppInstall: { handler: "onAppInstallHandler" } },
      requests: { listGroups: {} },
      functions: { add: {} },
    },
    chat_conversation: { events: { onMessageCreate: { handler: "onMessageCreateHandler" } } },
    chat_user: { events: { onUserUpdate: { handler: "onUserUpdateHandler" } } },
  },
};
const message = (content: string) =>
  JSON.stringify({ data: { message: { messages: [{ message_parts: [{ text: { content } }] }] } } });

let harness: AppHarness;
beforeAll(async () => {
  harness = await appHarness({
    "manifest.json": JSON.stringify(MANIFEST),
    "package.json": '{"name": "heard"}',
    "server/server.ts": undefined,
    "server/server.js": SERVER,
    "server/test_data/onMessageCreate.json": message("from the file"),
    "other.json": message("from another"),
  });
});
afterAll(() => harness.close());

const event = async (...args: string[]) =>
  JSON.parse(await harness.callSuccessfully("event", ...args, "--json")) as Invocation;
const plain = (text: string) => stripVTControlCharacters(text);

test("parley event list prints the app's events and the source of each payload", async () => {
  expect(plain(await harness.callSuccessfully("event", "list"))).toBe(
    [
      "heard is installed on acme.",
      "event            kind      default payload",
      "onAppInstall     set-up    the newest recorded payload",
      "onMessageCreate  product   server/test_data/onMessageCreate.json",
      "onUserUpdate     product   a sample",
      "add              function  no arguments",
      "",
    ].join("\n"),
  );
  expect(JSON.parse(await harness.callSuccessfully("event", "list", "--json"))).toMatchObject({
    name: "heard",
    account: "acme",
  });
});

test.each([
  ["the author's file", [], "from the file"],
  ["a named file", ["--from", "other.json"], "from another"],
  ["the command line", ["--data", message("from the line")], "from the line"],
])("parley event sends the event with the payload of %s", async (_title, args, text) => {
  const resolvedArgs = args.map((arg) => (arg === "other.json" ? `${harness.folder}/other.json` : arg));
  expect(await event("onMessageCreate", ...resolvedArgs)).toMatchObject({
    ok: true,
    lines: [{ level: "info", text: `heard ${text}` }],
    requests: [{ method: "GET", template: "listGroups", status: 200, attempts: 1 }],
  });
});

test("parley event --real performs the action on the service", async () => {
  const one = await event("onMessageCreate", "--real");
  expect(one).toMatchObject({ ok: true, source: expect.any(String), payload: { data: { actor: { type: "user" } } } });
  expect(await event("onUserUpdate", "--real")).toMatchObject({ lines: [{ text: '{"first_name":["Sam","Samuel"]}' }] });
});

test("parley event calls a function by its name", async () => {
  const one = await event("add", "--data", '{"a": 2, "b": 3}');
  expect(one).toMatchObject({ ok: true, kind: "function" });
  expect(JSON.stringify(one.output)).toContain('"sum":5');
});

test("parley event with a failing handler prints its stack in the app's own files and exits with status 1", async () => {
  const { status, stdout, stderr } = await harness.call("event", "onMessageCreate", "--data", message("fail"));
  expect({ status, stderr }).toEqual({ status: 1, stderr: "" });
  expect(plain(stdout)).toMatch(/^✖ onMessageCreate {2}failed in [\d.]+ ms/);
  expect(stdout).toMatch(/Error: the handler's own mistake\n.*server\/server\.js:7:/);
});

test("parley event replay calls the current code with the recorded payload", async () => {
  const before = await event("onMessageCreate", "--data", message("again"));
  await harness.write("server/server.js", SERVER.replace("heard ", "edited "));
  for (let after = before; after.lines[0]?.text !== "edited again";)
    after = JSON.parse(await harness.callSuccessfully("event", "replay", before.id, "--json")) as Invocation;
  expect(await harness.callFailing("event", "replay", "none")).toContain("There is no invocation none");
});

test.each([
  [["nothing"], "It handles: onAppInstall, onMessageCreate, onUserUpdate."],
  [["onUserCreate", "--real"], "has no handler for onUserCreate"],
  [["onMessageCreate", "--app", "nobody"], "No app nobody runs here"],
  [["onAppInstall", "--real"], "--real can't trigger onAppInstall"],
])("parley event %j is rejected with a next step", async (args, word) => {
  expect(await harness.callFailing("event", ...args)).toContain(word);
});

test("parley logs prints calls with payload, lines and requests in 80 columns, with control characters escaped", async () => {
  await event("onMessageCreate", "--data", message("odd"));
  const shown = await harness.callSuccessfully("logs", "--event", "onMessageCreate", "--limit", "2");
  const lines = plain(shown).trimEnd().split("\n");
  expect(lines.every((line) => line.length <= 80)).toBe(true);
  expect(shown).not.toContain("\u001b[2J");
  expect(lines.filter((line) => line.startsWith("✔ onMessageCreate"))).toHaveLength(2);
  expect(plain(shown)).toMatch(/^ {2}payload: \{.*…$/m);
  expect(plain(shown)).toMatch(/^ {2}warn: \[2Jgone/m);
  expect(plain(shown)).toMatch(/^ {2}GET https:\/\/acme\.parley\.localhost\/v2\/groups → 200, [\d.]+ ms, listGroups$/m);
});

test("parley logs filters by failures, handler and count, and prints one call in full", async () => {
  const lines = async (...args: string[]) =>
    (await harness.callSuccessfully("logs", "--json", ...args))
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Invocation);
  const failed = await lines("--failed");
  expect(failed).toMatchObject([{ ok: false, error: expect.stringContaining("own mistake") }]);
  expect(await lines("--handler", "onMessageCreateHandler", "--limit", "1")).toHaveLength(1);
  expect((await harness.call("logs", "--event", "none")).stderr).toContain("No recorded calls match.");
  const fullText = plain(await harness.callSuccessfully("logs", "--id", failed[0]?.id ?? ""));
  expect(fullText).toMatch(/^ {2}payload:\n {2}\{\n {4}"event": "onMessageCreate"/m);
  expect(await harness.callFailing("logs", "--id", "none")).toContain("There is no invocation none");
});

test("parley logs --follow prints each call as it ends, until Ctrl-C", async () => {
  const following = harness.startInBackground(
    "logs",
    "--follow",
    "--json",
    "--limit",
    "1",
    "--event",
    "onMessageCreate",
  );
  await waitUntil(() => following.output().includes("\n"));
  const fresh = await event("onMessageCreate", "--data", message("followed"));
  await waitUntil(() => following.output().includes(fresh.id));
  expect(following.output().trim().split("\n")).toHaveLength(2);
  expect(await following.end()).toBe(0);
});
