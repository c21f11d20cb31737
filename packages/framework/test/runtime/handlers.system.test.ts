import { afterAll, afterEach, describe, expect, test } from "@jest/globals";
import { appFixture, type AppParts, type AppFixture } from "../support/app-fixture.ts";
import { processFixture } from "../support/process-fixture.ts";

const HEAR = `function (args) { console.log("heard " + args.data.word); }`;
const events2 = (more: object) => ({ "platform-version": "2.2", product: { freshchat: { ...more } } });

describe("the handler of an event is found in an app", () => {
  let fixture: AppFixture | undefined;
  afterEach(() => fixture?.close());

  test.each<[string, AppParts]>([
    [
      "of 2.0 that declares events in code",
      {
        manifest: { "platform-version": "2.0", product: { freshchat: {} } },
        files: {
          "server/server.js": `exports = { events: [{ event: "onMessageCreate", callback: "mine" }], mine: ${HEAR} };`,
        },
      },
    ],
    [
      "of 2.2 with products in its manifest",
      {
        manifest: events2({ events: { onMessageCreate: { handler: "mine" } } }),
        files: { "server/server.js": `exports = { mine: ${HEAR} };` },
      },
    ],
    ["of 3.0 that sets module.exports", { files: { "server/server.js": `module.exports = { hear: ${HEAR} };` } }],
    [
      "of 3.0 with modules that reassign exports, and comments that mention it",
      {
        files: {
          "server/server.js": `// exports = nothing;\nconst own = require("./lib/own"); module.exports = { hear: own.hear };`,
          "server/lib/own.js": `exports = { hear: ${HEAR} };`,
        },
      },
    ],
    ["of 3.0 that sets members of exports", { files: { "server/server.js": `exports.hear = ${HEAR};` } }],
    [
      "of 3.0 with several files",
      {
        files: {
          "server/server.js": `const own = require("./lib/own"); exports = { hear: own.hear };`,
          "server/lib/own.js": `module.exports = { hear: ${HEAR} };`,
        },
      },
    ],
  ])("%s", async (_title, parts) => {
    fixture = await appFixture(parts);
    await fixture.install();
    const { ok, lines } = await fixture.sendEvent("onMessageCreate", { data: { word: "hi" } });
    expect([ok, lines]).toEqual([true, [{ level: "info", text: "heard hi" }]]);
  });
});

describe("the domain in a payload", () => {
  let fixture: AppFixture | undefined;
  afterEach(() => fixture?.close());

  test.each([
    ["2.2", "https://acme.parley.localhost"],
    ["2.3", "acme.parley.localhost"],
  ])("has its protocol in platform-versions with verbs: %s", async (version, domain) => {
    const events = { onAppInstall: { handler: "say" } };
    fixture = await appFixture({
      manifest: { "platform-version": version, product: { freshchat: { events } } },
      server: "exports = { say: function (args) { console.log(args.domain); renderData(); } };",
    });
    await fixture.install();
    expect((await fixture.invocations()).map(({ lines }) => lines[0]?.text)).toEqual([domain]);
  });
});

describe("events declared in code are reported with the handlers", () => {
  const pool = processFixture();
  afterAll(async () => (await pool).close());

  test.each([
    ["by name", `exports.events = [{ event: "onA", callback: "a" }]; exports.a = () => {};`, ["onA", "a"]],
    ["as a function", `module.exports = { events: [{ event: "onA", callback: () => {} }] };`, ["onA", "onA"]],
    ["in a default export", `exports.default = { events: [{ event: "onA", callback: "a" }] };`, ["onA", "a"]],
  ])("%s", async (_title, code, [event, callback]) => {
    const watched = (await pool).start(code);
    expect(await watched.events).toEqual([{ event, callback }]);
  });

  test.each(["exports.events = 7;", "exports.events = [null, {}, { event: 1 }];", "exports.events = [[]];"])(
    "and nothing else: %s",
    async (code) => expect(await (await pool).start(code).events).toEqual([]),
  );
});

describe("a promise of the framework", () => {
  let fixture: AppFixture | undefined;
  afterEach(() => fixture?.close());

  test("can be chained by done, fail and always, as apps of platform-version 2 do", async () => {
    const code = `exports = { hear: function () {
      $db.set("kept", { n: 1 }).done((made) => {
        console.log("set " + made.Created);
        $db.get("kept").then(({ n }) => n).always((n) => console.log("always " + n));
      }).fail(() => console.log("never"));
      $db.get("absent").done(() => console.log("never")).fail(({ status }) => console.log("refused " + status));
      $db.get("absent").then(() => console.log("never")).fail(({ status }) => console.log("refused later " + status));
      $request.invokeTemplate(7).fail(({ status }) => console.log("not asked " + status));
      generateTargetUrl().done((address) => console.log(typeof address));
    } };`;
    fixture = await appFixture({ files: { "server/server.js": code } });
    await fixture.install();
    const { ok, error, lines } = await fixture.sendEvent("onMessageCreate", { data: {} });
    expect({ ok, error }).toEqual({ ok: true });
    expect(lines.map(({ text }) => text).toSorted()).toEqual(
      ["set true", "refused 404", "refused later 404", "always 1", "not asked 400", "string"].toSorted(),
    );
  });

  test("with a throwing listener fails the call", async () => {
    fixture = await appFixture({
      files: {
        "server/server.js": `exports = { hear: () => { $db.set("a", {}).done(() => { throw new Error("mine"); }); } };`,
      },
    });
    await fixture.install();
    expect(await fixture.sendEvent("onMessageCreate", { data: {} })).toMatchObject({
      ok: false,
      error: expect.stringContaining("mine"),
    });
  });
});
