import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { processFixture } from "../support/process-fixture.ts";

let pool: Awaited<ReturnType<typeof processFixture>>;
beforeAll(async () => {
  pool = await processFixture();
});
afterAll(() => pool.close());

describe("handlers are loaded from", () => {
  test.each([
    ["module.exports", `module.exports = { a() {}, b: async () => {}, c: 1 };`, ["a", "b"]],
    ["members of exports", `exports.a = () => {}; exports.b = function () {};`, ["a", "b"]],
    ["a default export", `exports.__esModule = true; exports.default = { a() {} };`, ["a"]],
    ["named and default exports together", `exports.a = () => {}; exports.default = { b() {} };`, ["a", "b"]],
    ["an empty module, as none", `1;`, []],
    ["a module that exports no functions, as none", `module.exports = 7;`, []],
  ])("%s", async (_title, code, names) => {
    expect([...(await pool.start(code).handlers)].sort()).toEqual(names);
  });

  test("code that throws while it loads is rejected with its message", async () => {
    const watched = pool.start(`throw new TypeError("no such thing");`);
    await expect(watched.handlers).rejects.toThrow("TypeError: no such thing");
    await expect(watched.call("h", {}, false)).rejects.toThrow("no such thing");
  });

  test("code that never finishes loading is rejected after the time limit", async () => {
    const watched = pool.start(`for (;;);`, { settings: { loadTimeoutMs: 700 } });
    await expect(watched.handlers).rejects.toThrow("its code took more than 0.7 s to load");
  });
});

test.each([
  ["by its name", `require("http2")`],
  ["with its prefix", "require(`node:http2`)"],
  ["through another name of the function", `const load = require; load('http2')`],
  ["with a computed name", `require("http" + 2)`],
  ["with a name in a variable", `["http2"].map((name) => require(name))[0]`],
])("code may require a module of Node %s", async (_title, expression) => {
  const [before, last] = expression.includes(";") ? expression.split("; ") : ["", expression];
  const watched = pool.start(
    `${before}; const http2 = ${last}; exports.h = () => console.debug(typeof http2.constants === "object");`,
  );
  expect(await watched.runHandler({})).toBe(true);
});

test("a module required under two names is loaded once", async () => {
  const watched = pool.start(
    `const same = require("fs").promises === require("node:fs/promises") && require("fs") === require("node:fs");
     exports.h = () => console.debug(same);`,
  );
  expect(await watched.runHandler({})).toBe(true);
});

describe("a call ends", () => {
  test("when the handler has returned", async () => {
    const watched = pool.start(`exports.h = (args) => console.debug(JSON.stringify(args));`);
    expect(await watched.runHandler({ a: [1, "ü\n", null] })).toEqual({ a: [1, "ü\n", null] });
  });

  test("when requests that the handler started without awaiting them are answered, as public apps expect", async () => {
    const watched = pool.start(
      `exports.h = function () {
        $request.invokeTemplate("one").then(() => $request.invokeTemplate("two")).then(() => $db.set("k", {}));
      };`,
      { answer: () => new Promise((answer) => setTimeout(() => answer({ value: {} }), 20)) },
    );
    await watched.call("h", {}, false);
    expect(watched.questions.map((question) => question.of)).toEqual(["request", "request", "db.set"]);
  });

  test.each([
    ["throws", `exports.h = () => { throw new Error("broken"); };`],
    ["rejects", `exports.h = async () => { await null; throw new Error("broken"); };`],
    [
      "leaves a promise that rejects",
      `exports.h = () => { $db.get("x").then(() => { throw new Error("broken"); }).then(() => $db.get("y")); return $db.get("z"); };`,
    ],
    [
      "throws in a timer while it waits",
      `exports.h = () => new Promise(() => setTimeout(() => { throw new Error("broken"); }, 10));`,
    ],
  ])("with an error if the handler %s", async (_title, code) => {
    const watched = pool.start(code, { settings: { callTimeoutMs: 3_000 } });
    await expect(watched.call("h", {}, false)).rejects.toThrow("broken");
    expect(watched.isAlive()).toBe(true);
  });

  test("with an error that names a missing handler", async () => {
    await expect(pool.start(`exports.h = 1;`).call("gone", {}, false)).rejects.toThrow("there is no handler 'gone'");
  });

  test("with the stack of the app's code", async () => {
    const watched = pool.start(`\n\nexports.h = () => { throw new Error("here"); };`);
    await expect(watched.call("h", {}, false)).rejects.toMatchObject({
      appStack: expect.stringContaining("server.js:3:"),
    });
  });

  test("independently of other calls of the same process", async () => {
    const watched = pool.start(
      `exports.h = async ({ ms }) => { await new Promise((go) => setTimeout(go, ms)); if (ms === 30) throw new Error("thirty"); };`,
    );
    const calls = [60, 30, 1].map((ms) => watched.call("h", { ms }, false));
    await expect(calls[1]).rejects.toThrow("thirty");
    await expect(Promise.all([calls[0], calls[2]])).resolves.toBeDefined();
  });

  test("together with all others when one exceeds its time limit, and names that one", async () => {
    const watched = pool.start(`exports.slow = () => { for (;;); }; exports.h = () => new Promise(() => {});`, {
      settings: { callTimeoutMs: 400 },
    });
    const [slow, other] = [watched.call("slow", {}, false), watched.call("h", {}, false)];
    await expect(slow).rejects.toThrow("slow took more than 0.4 s");
    await expect(other).rejects.toThrow("slow took more than 0.4 s");
  });

  test("with an error if the handler returns after its time limit: the late result is not accepted", async () => {
    const watched = pool.start(
      `exports.h = async () => { await new Promise((resolve) => setTimeout(resolve, 1_500)); return "late"; };`,
      { settings: { callTimeoutMs: 300 } },
    );
    await expect(watched.call("h", {}, false)).rejects.toThrow("h took more than 0.3 s");
  });
});

describe("a set-up handler", () => {
  test.each([
    ["calls renderData() immediately", `exports.h = () => renderData();`, {}],
    ["calls renderData() late", `exports.h = () => { $db.get("x").then(() => setTimeout(renderData, 100)); };`, {}],
    [
      "rejects with a message",
      `exports.h = async () => renderData({ message: "No seats left" });`,
      { message: "No seats left" },
    ],
    ["rejects with another value", `exports.h = async () => renderData(new Map());`, { message: "The app refused." }],
  ])("that %s ends with this outcome", async (_title, code, rendered) => {
    await expect(pool.start(code).call("h", {}, true)).resolves.toEqual(rendered);
  });

  test("that ends without calling renderData() fails immediately, long before its time limit", async () => {
    const watched = pool.start(`exports.h = async () => { await $db.get("x"); };`);
    await expect(watched.call("h", {}, true)).rejects.toThrow("it ended without a call of renderData()");
  });
});

describe("the app receives", () => {
  test("an error with the documented members for a failed request", async () => {
    const failure = {
      message: "no",
      status: 404,
      headers: { a: "b" },
      response: "no",
      errorSource: "APP",
      attempts: 2,
    };
    const watched = pool.start(
      `exports.h = () => $request.invokeTemplate("x", {}).catch((error) =>
        console.debug(JSON.stringify([error instanceof Error, error.message, { ...error }])));`,
      { answer: () => Promise.resolve({ failure }) },
    );
    const { message, ...members } = failure;
    expect(await watched.runHandler()).toEqual([true, message, members]);
  });

  test("an empty environment, no arguments and no network interfaces", async () => {
    const watched = pool.start(
      `exports.h = () => console.debug(JSON.stringify([process.env, process.argv, process.execArgv, process.cwd(), require("os").networkInterfaces()]));`,
    );
    expect(await watched.runHandler()).toEqual([{}, ["node"], [], "/", {}]);
  });

  test("the globals that packages need: timers, crypto, buffers, URLs, streams, intervals, compression", async () => {
    const watched = pool.start(
      `const { createHash, randomUUID } = require("node:crypto"); const zlib = require("zlib"); require("http"); require("https"); require("fs");
      exports.h = async () => console.debug(JSON.stringify([createHash("md5").update("a").digest("hex"), randomUUID().length,
        zlib.gunzipSync(zlib.gzipSync("zip")).toString(), new URL("https://a.b/c").host, typeof crypto.subtle, typeof setInterval,
        typeof structuredClone, Buffer.from("x").toString("base64"), typeof process.nextTick]));`,
    );
    expect(await watched.runHandler()).toEqual([
      "0cc175b9c0f1b6a831c399e269772661",
      36,
      "zip",
      "a.b",
      "object",
      "function",
      "function",
      "eA==",
      "function",
    ]);
  });
});

describe("the app's log", () => {
  test("has the level of each line, from the console and from standard output", async () => {
    const watched = pool.start(
      `exports.h = async () => { console.log("a %d", 1, { b: 2 }); console.warn("w"); console.error(new Error("e").message); console.table([]); process.stdout.write("out\\n"); await new Promise((go) => setTimeout(go, 50)); };`,
    );
    await watched.call("h", {}, false);
    expect(watched.lines).toEqual(expect.arrayContaining(["info a 1 { b: 2 }", "warn w", "error e", "info out"]));
  });

  test("has the stack of an uncaught error that belongs to no call", async () => {
    const watched = pool.start(
      `setTimeout(() => { throw new Error("stray"); }, 20); exports.h = () => new Promise((go) => setTimeout(go, 80));`,
    );
    await watched.call("h", {}, false);
    expect(watched.lines.join("\n")).toMatch(/error Uncaught Error: stray\n\s+at .*server\.js:1:/);
  });
});

test("a process that is retired while its code loads runs the waiting calls and ends", async () => {
  const watched = pool.start(`exports.h = (args) => console.debug(JSON.stringify(args));`);
  const outputs = [watched.runHandler(1), watched.runHandler(2)];
  watched.retire();
  expect((await Promise.all(outputs)).sort()).toEqual([1, 2]);
  expect(await watched.ended).toBe("it is no longer needed");
});

test("a retired process ends after its pending calls", async () => {
  const watched = pool.start(`exports.h = () => new Promise((go) => setTimeout(go, 100));`);
  const call = watched.call("h", {}, false);
  await watched.handlers;
  watched.retire();
  expect(watched.isAlive()).toBe(false);
  await expect(call).resolves.toBeUndefined();
  await expect(watched.ended).resolves.toMatch("no longer needed");
});
