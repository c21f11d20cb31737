import { request } from "node:http";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { statement } from "@parley/database";
import { APP_SCHEMA } from "../src/db/migrations.ts";
import { appStage, type AppStage } from "./app-fixture.ts";

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

let stage: AppStage;
let address: string;
beforeAll(async () => {
  stage = await appStage(PARTS);
  await stage.install();
  address = (await stage.call("address")).output as string;
});
afterAll(() => stage.close());

const send = async (body: string, type: string, to = address) => {
  const answer = await fetch(to, { method: "POST", headers: { "content-type": type, "x-own": "Mine" }, body });
  return { status: answer.status, said: await answer.text(), retry: answer.headers.get("retry-after") };
};
const last = async () => (await stage.invocations("kind=external")).at(-1);

describe("POST to an address of generateTargetUrl", () => {
  test.each([
    ["application/json", '{"a":[1]}', { a: [1] }],
    ["application/json; charset=utf-8", "[]", []],
    ["application/x-www-form-urlencoded", "a=1&b=x+y&b=z&__proto__=p", { a: "1", b: ["x y", "z"], ["__proto__"]: "p" }],
    ["application/xml", "<a>1</a>", "<a>1</a>"],
    ["text/xml", "<a/>", "<a/>"],
  ])("as %s raises onExternalEvent with what it holds", async (type, body, data) => {
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
    ["no JSON", 400, "application/json", "{"],
    ["another type", 415, "text/plain", "hi"],
    ["more than 100 KB", 413, "application/json", `"${"x".repeat(102_400)}"`],
  ])("of %s is answered %d", async (_title, status, type, body) => {
    expect((await send(body, type)).status).toBe(status);
  });

  test("whose handler fails is answered 500, so that it comes again", async () => {
    expect(await send("<fail/>", "text/xml")).toMatchObject({ status: 500 });
  });

  test.each(["A".repeat(43), "x", "%00", "..%2f.."])(
    "to a secret that is none, %s, is answered 404",
    async (secret) => {
      expect((await send("{}", "application/json", address.replace(/[^/]+$/, secret))).status).toBe(404);
    },
  );

  test("keeps a sender's password out of the record, not from the handler", async () => {
    await fetch(address, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: "Bearer of-the-sender" },
      body: "{}",
    });
    expect(JSON.stringify(await last())).not.toContain("of-the-sender");
  });
});

test("the address is the same for every call and after a restart", async () => {
  expect((await stage.call("address")).output).toBe(address);
  await stage.restart();
  expect((await stage.call("address")).output).toBe(address);
  expect(address).toMatch(new RegExp(`^http://localhost:${stage.host.port}/targets/[\\w-]{43}$`));
});

test("a renewed address is another one, and ends the one before; a new installation has an address of its own", async () => {
  const own = await appStage(PARTS);
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

test("an address of before addresses could be renewed stays what it is", async () => {
  const own = await appStage(PARTS);
  await own.install();
  const before = (await own.call("address")).output as string;
  const pool = own.database.pool(APP_SCHEMA);
  // As it stands in a database of an older release: of no salt, and of a key that is gone.
  await pool.rows(statement("", "UPDATE targets SET salt = ''"), []);
  const unsalted = (await own.call("address")).output as string;
  expect(unsalted).not.toBe(before);
  expect((await own.call("address")).output).toBe(unsalted);
  await own.close();
});

test("too many a minute are answered 429 with the time to wait, and the next minute is a new one", async () => {
  const few = await appStage(PARTS, { settings: { targetRequestsPerMinute: 2 } });
  await few.install();
  const to = (await few.call("address")).output as string;
  const answers = [];
  for (let turn = 0; turn < 3; turn += 1) answers.push(await send("{}", "application/json", to));
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 429]);
  expect(Number(answers[2]?.retry)).toBeGreaterThan(0);
  few.advance(60_000);
  expect((await send("{}", "application/json", to)).status).toBe(200);
  await few.close();
});

test("a host that is reached by another name has that in its addresses, and answers to it there only", async () => {
  const open = await appStage(PARTS, { publicUrl: "https://tunnel.example.com/" });
  await open.install();
  const to = new URL((await open.call("address")).output as string);
  expect(to.origin).toBe("https://tunnel.example.com");
  const statusOf = (path: string) =>
    new Promise((resolve, reject) => {
      const headers = { host: "tunnel.example.com", "content-type": "application/json" };
      const asked = request({ port: open.host.port, host: "127.0.0.1", path, method: "POST", headers }, (reply) => {
        reply.resume();
        resolve(reply.statusCode);
      });
      asked.on("error", reject).end("{}");
    });
  expect(await statusOf(to.pathname)).toBe(200);
  expect(await statusOf("/custom_configs")).toBe(421);
  await open.close();
});
