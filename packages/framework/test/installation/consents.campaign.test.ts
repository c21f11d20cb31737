import { afterEach, describe, expect, test } from "@jest/globals";
import { statement } from "@parley/database";
import type { Consent, IparamsConfig, Invocation } from "@parley/contract";
import { APP_SCHEMA } from "../../src/state/db/migrations.ts";
import { appFixture, type AppFixture, type AppFixtureOptions } from "../support/app-fixture.ts";

const SECRET = "canary/5e3a+Geheimnis\nzweite-Zeile-canary";
const iparams: IparamsConfig = {
  token: { display_name: "Token", type: "paragraph", secure: true },
  greeting: { display_name: "Greeting", type: "text" },
};
/** The value, its lines and its encodings: none of them may appear in any text. */
const CANARIES = [
  "canary",
  "Geheimnis",
  encodeURIComponent(SECRET),
  Buffer.from(SECRET).toString("base64").slice(0, 24),
];

const SERVER = `
exports = {
  read: ({ iparams }) => renderData(null, { length: iparams.token?.length ?? 0, greeting: iparams.greeting }),
  spill: async (args) => {
    const { token } = args.iparams;
    console.log("args", args, JSON.stringify(args));
    console.error(token, encodeURIComponent(token), Buffer.from("user:" + token).toString("base64"));
    console.info("x".repeat(7_985) + token);
    process.stdout.write(token + "\\n");
    await fetch("https://api.example/" + encodeURIComponent(token) + "?key=" + token.split("\\n")[0]).catch((error) => console.warn(error));
    renderData(null, { [token]: [token, { deep: "key " + token }] });
  },
  fail: ({ iparams }) => { throw new Error("refused with " + iparams.token); },
  refuse: ({ iparams }) => renderData({ status: 400, message: "no " + iparams.token }),
  keep: async ({ iparams, way }) => {
    const ways = {
      set: () => $db.set("k", { token: iparams.token }),
      update: () => $db.update("k", "set", { token: iparams.token }),
      schedule: () => $schedule.create({ name: "s", data: { token: iparams.token }, schedule_at: "2099-01-01T00:00:00.000Z" }),
    };
    await ways[way]().then(() => renderData(null, "kept"), ({ status, message }) => renderData({ status, message }));
  },
  remember: ({ iparams }) => { globalThis.seen ??= iparams.token; renderData(null, typeof globalThis.seen); },
  onAppInstallHandler: ({ iparams }) => { console.log("install " + typeof iparams.token); renderData(); },
  onMessage: ({ iparams }) => { console.log("event " + typeof iparams.token); throw new Error("with " + iparams.token); },
};`;
const common = {
  functions: { read: {}, spill: {}, fail: {}, refuse: {}, keep: {}, remember: {} },
  events: { onAppInstall: { handler: "onAppInstallHandler" } },
};
const manifest = {
  "platform-version": "3.0",
  modules: { common, chat_conversation: { events: { onMessageCreate: { handler: "onMessage" } } } },
};
const parts = { server: SERVER, iparams, manifest };

let fixture: AppFixture;
const begin = async (options: AppFixtureOptions = {}) => {
  fixture = await appFixture(parts, options);
  expect(await fixture.install({ token: SECRET, greeting: "Hi" })).toMatchObject({ ok: true });
};
const consents = async (): Promise<readonly Consent[]> =>
  ((await fixture.requestAsAuthor("consents")) as { consents: readonly Consent[] }).consents;
const decide = (subject: string, isGranted: boolean) =>
  fixture.requestAsAuthor("consents", { subject, isGiven: isGranted });

describe("secure parameters", () => {
  afterEach(() => fixture.close());

  test("are missing from args.iparams until an admin agrees, and follow each decision from the next call on", async () => {
    await begin();
    expect(fixture.lines.join("\n")).toContain("install undefined");
    const lengths = async () => ((await fixture.call("read")).output as { length: number }).length;
    expect(await lengths()).toBe(0);
    await decide("secure-iparams", true);
    expect(await lengths()).toBe(SECRET.length);
    expect(await consents()).toEqual([{ subject: "secure-iparams", state: "given", time: expect.any(String) }]);
    expect((await fixture.call("remember")).output).toBe("string");
    await decide("secure-iparams", false);
    expect(await lengths()).toBe(0);
    expect((await fixture.call("remember")).output).toBe("undefined");
    expect(await consents()).toEqual([{ subject: "secure-iparams", state: "revoked", time: expect.any(String) }]);
  });

  test("with a consent reach the handler of the installation", async () => {
    fixture = await appFixture(parts);
    await decide("secure-iparams", true);
    await fixture.install({ token: SECRET });
    expect(fixture.lines.join("\n")).toContain("install string");
  });

  test("with a consent are passed by a second host on the same database too, and no longer after its revocation", async () => {
    await begin();
    await decide("secure-iparams", true);
    const other = await fixture.startAnotherHost();
    const request = async () => {
      const answer = await fetch(`${other.url}/admin/functions`, {
        method: "POST",
        headers: { authorization: "Bearer the-author-of-the-app", "content-type": "application/json" },
        body: JSON.stringify({ name: "read", args: {} }),
      });
      return ((await answer.json()) as { output: { length: number } }).output.length;
    };
    expect(await request()).toBe(SECRET.length);
    await decide("secure-iparams", false);
    expect(await request()).toBe(0);
  });

  test("can be passed for one run by a start option, which is not stored", async () => {
    await begin({ consentsOfRun: { secureIparams: true } });
    expect((await fixture.call("read")).output).toEqual({ length: SECRET.length, greeting: "Hi" });
    expect(await consents()).toEqual([{ subject: "secure-iparams", state: "given", isOfRun: true }]);
    const rows = await fixture.database.pool(APP_SCHEMA).rows(statement("", "select * from consents"), []);
    expect(rows).toEqual([]);
  });

  test("passed to handlers appear in no record, replay, log, answer, page or table", async () => {
    await begin();
    await decide("secure-iparams", true);
    const spilled = await fixture.call("spill");
    const invocations: Invocation[] = [
      spilled,
      await fixture.call("fail"),
      await fixture.call("refuse"),
      await fixture.sendEvent("onMessageCreate", { data: { message: {} } }),
      (await fixture.requestAsAuthor(`invocations/${spilled.id}/replay`, {})) as Invocation,
    ];
    const follow = await fixture.invocations();
    const page = await (await fetch(`${fixture.host.url}/custom_configs`)).text();
    const tables = await fixture.database
      .pool(APP_SCHEMA)
      .rows<{ name: string }>(
        statement("", `select table_name as name from information_schema.tables where table_schema = '${APP_SCHEMA}'`),
        [],
      );
    const rows = await Promise.all(
      tables.map(({ name }) =>
        fixture.database.pool(APP_SCHEMA).rows(statement("", `select t::text from "${name}" t`), []),
      ),
    );
    const everything = JSON.stringify([invocations, follow, page, rows, await consents(), fixture.lines]);
    expect(invocations.map(({ ok }) => ok)).toEqual([true, false, false, false, true]);
    // The redaction mark shows that the values were present.
    expect(everything).toContain("[secure value]");
    expect(spilled.lines.length).toBeGreaterThan(4);
    for (const canary of CANARIES) expect(everything).not.toContain(canary);
  });

  test.each(["set", "update", "schedule"])(
    "are rejected where they would be stored in plain text: by %s",
    async (operation) => {
      await begin();
      await decide("secure-iparams", true);
      expect((await fixture.call("keep", { way: operation })).output).toEqual({
        status: 400,
        message:
          "A secure installation parameter or app setting can't be stored by $db or $schedule: it would be kept unencrypted",
      });
    },
  );

  test("need a new consent after an uninstallation", async () => {
    await begin();
    await decide("secure-iparams", true);
    await fixture.host.uninstall();
    expect(await consents()).toEqual([]);
  });
});

describe("a consent decision", () => {
  const KEY = { authorization: "Bearer the-author-of-the-app", "content-type": "application/json" };
  const send = async (body: string, headers: Record<string, string> = KEY) => {
    const reply = await fetch(`${fixture.host.url}/admin/consents`, { method: "POST", headers, body });
    return [reply.status, ((await reply.json()) as { message?: string }).message ?? ""];
  };
  afterEach(() => fixture.close());

  test("of a wrong type, empty, or without the author's key is rejected and changes nothing", async () => {
    await begin();
    await decide("api.example", true);
    const decided = await consents();
    const shape = "A decision names a subject, in at most 300 characters, and says isGiven: true or false.";
    const wrong: [string, string][] = [
      ['{"subject":"api.example","isGiven":"false"}', shape],
      ['{"subject":"api.example","isGiven":null}', shape],
      ['{"subject":"api.example","isGiven":0}', shape],
      ['{"subject":["api.example"],"isGiven":false}', shape],
      ['{"subject":{"host":"api.example"},"isGiven":false}', shape],
      ['{"subject":7,"isGiven":true}', shape],
      ['{"subject":"","isGiven":true}', shape],
      [`{"subject":"${"a".repeat(301)}","isGiven":true}`, shape],
      ['{"subject":"api.example"}', shape],
      ["{}", shape],
      ["[]", shape],
      ["null", shape],
      ['"api.example"', shape],
      ['{"subject":"*","isGiven":true}', "is neither secure-iparams nor a host"],
      ['{"subject":"*.com","isGiven":true}', "is neither secure-iparams nor a host"],
      ['{"subject":"127.0.0.1","isGiven":true}', "is neither secure-iparams nor a host"],
      ['{"subject":"SECURE-IPARAMS","isGiven":true}', "is neither secure-iparams nor a host"],
      ['{"subject":"api.example\\u0000","isGiven":true}', "is neither secure-iparams nor a host"],
      ['{"subject":"api.example, other.example","isGiven":true}', "is neither secure-iparams nor a host"],
    ];
    for (const [body, message] of wrong) expect(await send(body)).toEqual([400, expect.stringContaining(message)]);
    expect((await send('{"subject":"other.example","isGiven":true}', { "content-type": "application/json" }))[0]).toBe(
      401,
    );
    expect(await consents()).toEqual(decided);
  });

  test("that is repeated changes nothing, and of many concurrent ones exactly one is stored", async () => {
    await begin();
    await decide("api.example", true);
    const first = await consents();
    await decide("API.example", true);
    await decide("https://api.example/", true);
    expect(await consents()).toEqual(first);
    await Promise.all(Array.from({ length: 40 }, (_, place) => decide("api.example", place % 2 === 0)));
    const after = await consents();
    expect(after.map(({ subject }) => subject)).toEqual(["api.example"]);
    expect(["given", "revoked"]).toContain(after[0]?.state);
    await decide("api.example", false);
    expect(await consents()).toMatchObject([{ subject: "api.example", state: "revoked" }]);
  });

  test("about one of 5,000 hosts of an app is listed with them", async () => {
    fixture = await appFixture({
      ...parts,
      manifest: {
        ...manifest,
        "whitelisted-domains": Array.from({ length: 5_000 }, (_, place) => `h${place}.example`),
      },
    });
    await fixture.install({ token: SECRET, greeting: "Hi" });
    await decide("h4999.example", true);
    const all = await consents();
    expect(all).toHaveLength(5_000);
    expect(all.filter(({ state }) => state === "given").map(({ subject }) => subject)).toEqual(["h4999.example"]);
  });
});
