import { createHash, randomBytes } from "node:crypto";
import { request } from "node:http";
import { dirname } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { openSecretsKeyFile, openVault, sealAnew, statement } from "@parley/database";
import { APP_SCHEMA } from "../../src/state/db/migrations.ts";
import { sealedAppRows, storeDerivedTargets } from "../../src/state/sealed-rows.sql.ts";
import { appFixture, type AppFixture } from "../support/app-fixture.ts";

const SERVER = `
exports = {
  address: async function () { renderData(null, await generateTargetUrl()); },
  renewed: async function ({ options }) { renderData(null, await generateTargetUrl(options)); },
  heard: function (args) { if (args.data === "<fail/>") throw new Error("not this time"); },
};`;
const PARTS = {
  server: SERVER,
  common: { functions: { address: {}, renewed: {} }, events: { onExternalEvent: { handler: "heard" } } },
};

let fixture: AppFixture;
let address: string;
beforeAll(async () => {
  fixture = await appFixture(PARTS);
  await fixture.install();
  address = (await fixture.call("address")).output as string;
});
afterAll(() => fixture.close());

const send = async (body: string, type: string, to = address) => {
  const answer = await fetch(to, { method: "POST", headers: { "content-type": type, "x-own": "Mine" }, body });
  return { status: answer.status, said: await answer.text(), retry: answer.headers.get("retry-after") };
};
const last = async () => (await fixture.invocations("kind=external")).at(-1);

describe("POST to a URL of generateTargetUrl", () => {
  test.each([
    ["application/json", '{"a":[1]}', { a: [1] }],
    ["application/json; charset=utf-8", "[]", []],
    ["application/x-www-form-urlencoded", "a=1&b=x+y&b=z&__proto__=p", { a: "1", b: ["x y", "z"], ["__proto__"]: "p" }],
    ["application/xml", "<a>1</a>", "<a>1</a>"],
    ["text/xml", "<a/>", "<a/>"],
  ])("as %s sends onExternalEvent with its content", async (type, body, data) => {
    expect(await send(body, type)).toMatchObject({ status: 200, said: "{}" });
    const { payload, kind, ok } = (await last()) ?? {};
    expect([kind, ok]).toEqual(["external", true]);
    expect(payload).toMatchObject({
      event: "onExternalEvent",
      data,
      headers: { "x-own": "Mine", "content-type": type },
    });
    expect(payload).not.toHaveProperty("headers.connection");
  });

  test.each([
    ["invalid JSON", 400, "application/json", "{"],
    ["another type", 415, "text/plain", "hi"],
    ["more than 100 KB", 413, "application/json", `"${"x".repeat(102_400)}"`],
  ])("with %s answers %d", async (_title, status, type, body) => {
    expect((await send(body, type)).status).toBe(status);
  });

  test("answers 500 if the handler fails, so that the sender retries", async () => {
    expect(await send("<fail/>", "text/xml")).toMatchObject({ status: 500 });
  });

  test.each(["A".repeat(43), "x", "%00", "..%2f.."])("with an invalid secret, %s, answers 404", async (secret) => {
    expect((await send("{}", "application/json", address.replace(/[^/]+$/, secret))).status).toBe(404);
  });

  test("excludes a sender's password from the record, not from the handler's payload", async () => {
    await fetch(address, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: "Bearer of-the-sender" },
      body: "{}",
    });
    expect(JSON.stringify(await last())).not.toContain("of-the-sender");
  });
});

test("a target URL is the same for every call and after a restart", async () => {
  expect((await fixture.call("address")).output).toBe(address);
  await fixture.restart();
  expect((await fixture.call("address")).output).toBe(address);
  expect(address).toMatch(new RegExp(`^http://localhost:${fixture.host.port}/targets/[\\w-]{43}$`));
});

test("a renewed target URL replaces the previous one; a new installation has its own URL", async () => {
  const own = await appFixture(PARTS);
  await own.install();
  const of = async (name: "address" | "renewed", options?: object) =>
    (await own.call(name, { options })).output as string;
  const status = async (to: string) => (await send("{}", "application/json", to)).status;
  const first = await of("address");
  expect(await of("renewed", {})).toBe(first);
  expect(await of("renewed", { renew: "yes" })).toBe(first);
  const second = await of("renewed", { renew: true });
  expect(second).not.toBe(first);
  expect(await of("address")).toBe(second);
  expect([await status(first), await status(second)]).toEqual([404, 200]);
  const both = await Promise.all([of("renewed", { renew: true }), of("renewed", { renew: true })]);
  const third = await of("address");
  expect(both).toContain(third);
  expect([await status(second), await status(third)]).toEqual([404, 200]);
  await own.host.uninstall();
  await own.install();
  expect(await of("address")).not.toBe(third);
  expect(await status(third)).toBe(404);
  await own.close();
});

test("a target URL from before renewals existed stays unchanged", async () => {
  const own = await appFixture(PARTS);
  await own.install();
  const before = (await own.call("address")).output as string;
  const pool = own.database.pool(APP_SCHEMA);
  // State of a row from an older release: without a salt, sealed with a lost key.
  await pool.rows(statement("", "update targets set salt = '', sealed = null"), []);
  const unsalted = (await own.call("address")).output as string;
  expect(unsalted).not.toBe(before);
  expect((await own.call("address")).output).toBe(unsalted);
  await own.close();
});

test.each([
  ["of this release", false],
  ["of an earlier release, whose secret part is derived from the key", true],
])("a target URL %s stays the same after a rotation of the key, without a restart", async (_title, isDerived) => {
  const own = await appFixture(PARTS);
  await own.install();
  await own.call("address");
  const pool = own.database.pool(APP_SCHEMA);
  const dataFolder = dirname(own.folder);
  const vault = await openVault(dataFolder, randomBytes, undefined);
  if (isDerived) {
    const secret = vault.derive("target/app-of-the-test/acme/salt").toString("base64url");
    const hash = createHash("sha256").update(secret).digest("hex");
    await pool.rows(statement("", "update targets set hash = $1, salt = 'salt', sealed = null"), [hash]);
  }
  const before = (await own.call("address")).output as string;
  expect((await send("{}", "application/json", before)).status).toBe(200);
  const file = await openSecretsKeyFile(dataFolder, randomBytes);
  await file?.addKey();
  expect((await own.call("address")).output).toBe(before);
  await storeDerivedTargets(pool, vault);
  await sealAnew(vault, sealedAppRows(pool));
  await file?.removeEarlierKeys();
  expect((await own.call("address")).output).toBe(before);
  expect((await send("{}", "application/json", before)).status).toBe(200);
  await own.close();
});

test("POST to a target URL over the rate limit answers 429 with the wait time, until the next minute", async () => {
  const limitedFixture = await appFixture(PARTS, { settings: { targetRequestsPerMinute: 2 } });
  await limitedFixture.install();
  const to = (await limitedFixture.call("address")).output as string;
  const answers = [];
  for (let turn = 0; turn < 3; turn += 1) answers.push(await send("{}", "application/json", to));
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 429]);
  expect(Number(answers[2]?.retry)).toBeGreaterThan(0);
  limitedFixture.advance(60_000);
  expect((await send("{}", "application/json", to)).status).toBe(200);
  await limitedFixture.close();
});

test("a host with a public URL has it in its target URLs and serves them under that name only", async () => {
  const open = await appFixture(PARTS, { publicUrl: "https://tunnel.example.com/" });
  await open.install();
  const to = new URL((await open.call("address")).output as string);
  expect(to.origin).toBe("https://tunnel.example.com");
  const statusOf = (path: string) =>
    new Promise((resolve, reject) => {
      const headers = { host: "tunnel.example.com", "content-type": "application/json" };
      const outgoing = request({ port: open.host.port, host: "127.0.0.1", path, method: "POST", headers }, (reply) => {
        reply.resume();
        resolve(reply.statusCode);
      });
      outgoing.on("error", reject).end("{}");
    });
  expect(await statusOf(to.pathname)).toBe(200);
  expect(await statusOf("/custom_configs")).toBe(421);
  await open.close();
});
