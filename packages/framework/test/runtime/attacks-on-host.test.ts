import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { openCallRecording } from "../../src/runtime/process/call-recording.ts";
import { waitUntil } from "../../../../test/support/wait-until.ts";
import { processFixture } from "../support/process-fixture.ts";

const LIMITS = { callTimeoutMs: 1_500, loadTimeoutMs: 3_000 };

let pool: Awaited<ReturnType<typeof processFixture>>;
beforeAll(async () => {
  pool = await processFixture();
});
afterAll(() => pool.close());

describe("the host and other calls stay unharmed when an app", () => {
  test("allocates memory outside its heap", async () => {
    const watched = pool.start(
      `exports.h = () => { const all = []; for (let i = 0; i < 40; i++) all.push(new Uint8Array(1e8).fill(1)); };`,
      { settings: LIMITS },
    );
    await expect(watched.call("h", {}, false)).rejects.toThrow();
  });

  test("changes the prototypes of its own realm, and sends prototype names as keys", async () => {
    const watched = pool.start(
      `exports.h = async () => {
        Object.prototype.polluted = "yes"; Array.prototype.includes = () => true;
        await $db.set("k", JSON.parse('{"__proto__": {"polluted": "yes"}, "constructor": {"prototype": {"polluted": 1}}}'));
      };`,
    );
    await watched.call("h", {}, false);
    expect(Reflect.get({}, "polluted")).toBeUndefined();
    expect([1].includes(5)).toBe(false);
    expect(watched.questions).toHaveLength(1);
  });

  test("answers other calls, or answers twice", async () => {
    const watched = pool.start(
      `const forge = (message) => rawFs.writeSync(4, JSON.stringify(message) + "\\n");
      let forged = 0;
      exports.early = async () => { if (!forged) for (const id of [1, 1, 77, 1e6]) forge({ t: "done", id }); forged = 1; await new Promise((go) => setTimeout(go, 100)); throw new Error("late"); };
      exports.h = async () => {};`,
      { isEscaped: true },
    );
    // A forged end of the attacker's own call ends only that call; the genuine end is then ignored.
    await expect(watched.call("early", {}, false)).resolves.toBeUndefined();
    await expect(watched.call("h", {}, false)).resolves.toBeUndefined();
    await expect(watched.call("early", {}, false)).rejects.toThrow("late");
  });

  test("sends more requests than may be pending", async () => {
    const watched = pool.start(
      `exports.h = async () => {
        const all = await Promise.allSettled(Array.from({ length: 20 }, () => $db.get("x")));
        console.debug(JSON.stringify(all.filter((one) => one.status === "rejected").map((one) => one.reason.status)));
      };`,
      {
        settings: { maxConcurrentCalls: 5 },
        answer: () => new Promise((answer) => setTimeout(() => answer({ value: {} }), 50)),
      },
    );
    expect(await watched.runHandler()).toEqual(Array.from({ length: 15 }, () => 429));
    expect(watched.questions).toHaveLength(5);
  });

  test("sends an oversized message through the official method", async () => {
    const watched = pool.start(
      `exports.h = () => $request.invokeTemplate("x", { body: "a".repeat(5e6) }).catch((error) => console.debug(JSON.stringify(error.message)));`,
    );
    expect(await watched.runHandler()).toMatch(/Too large/);
    expect(watched.questions).toHaveLength(0);
  });

  test.each([
    ["renders", `renderData(null, "a".repeat(5e7));`],
    ["asks with", `return $request.invokeTemplate("x", { body: "a".repeat(5e7) });`],
  ])("%s fifty megabytes", async (_title, body) => {
    const watched = pool.start(`exports.h = () => { ${body} };`);
    // Without memory for its report, the process ends without a reason.
    await expect(watched.call("h", {}, true)).rejects.toThrow(/Too large|ran out of memory|was killed/);
    expect(watched.questions).toHaveLength(0);
  });

  test("returns an unused value of fifty megabytes", async () => {
    const watched = pool.start(`exports.h = () => ({ all: "a".repeat(5e7) });`);
    await expect(watched.call("h", {}, false)).resolves.toBeUndefined();
  });

  test.each([
    ["throws later", `setTimeout(() => { throw new Error("late"); }, 20);`],
    ["rejects later", `Promise.reject(new Error("late"));`],
    ["renders later", `setTimeout(() => renderData(null, "of another call"), 20);`],
  ])("%s than its call has ended: the next call works", async (_title, lateError) => {
    const watched = pool.start(
      `exports.late = () => { ${lateError.startsWith("Promise") ? `setTimeout(() => { ${lateError} }, 20);` : lateError} };
      exports.h = async () => { await new Promise((go) => setTimeout(go, 80)); renderData(null, "mine"); };`,
    );
    await expect(watched.call("late", {}, false)).resolves.toBeUndefined();
    await expect(watched.call("h", {}, true)).resolves.toEqual({ data: "mine" });
    expect(watched.isAlive()).toBe(true);
  });

  test("loops in a timer after its call has ended: the next call fails, the one after it works", async () => {
    const settings = { callTimeoutMs: 600 };
    const code = `exports.late = () => { setTimeout(() => { console.log("loops"); for (;;); }, 10); }; exports.h = () => {};`;
    const watched = pool.start(code, { settings });
    await watched.call("late", {}, false);
    await waitUntil(() => watched.lines.length > 0);
    await expect(watched.call("h", {}, false)).rejects.toThrow("h took more than 0.6 s");
    expect(watched.isAlive()).toBe(false);
    await expect(pool.start(code, { settings }).call("h", {}, false)).resolves.toBeUndefined();
  });

  test("attributes its log lines and requests to calls that aren't running", async () => {
    const watched = pool.start(
      `const forge = (message) => rawFs.writeSync(4, JSON.stringify(message) + "\\n");
      exports.h = async () => {
        for (const call of [77, 1e6]) {
          forge({ t: "log", call, level: "info", text: "forged" });
          forge({ t: "ask", id: 1e6 + call, call, question: { of: "db.get", key: "k" } });
        }
        forge({ t: "loaded", handlers: ["more"] });
        console.info("true");
        await $db.get("own");
      };`,
      { isEscaped: true },
    );
    const recording = openCallRecording();
    await watched.call("h", {}, false, { recording });
    expect(recording.taken()).toEqual({ lines: [{ level: "info", text: "true" }], requests: [] });
    expect(watched.recordings.map(Boolean)).toEqual([false, false, true]);
    expect(await watched.handlers).toEqual(["h"]);
  });

  test("logs endlessly: its record stays small", async () => {
    const recording = openCallRecording();
    const watched = pool.start(`exports.h = () => { for (let i = 0; i < 5e3; i++) console.log("x".repeat(5e3)); };`);
    await watched.call("h", {}, false, { recording });
    const { lines } = recording.taken();
    expect(lines).toHaveLength(201);
    expect(lines.at(-1)?.text).toBe("4800 more lines or requests are not kept");
    expect(JSON.stringify(lines).length).toBeLessThan(500_000);
  });
});
