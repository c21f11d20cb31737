import { Readable } from "node:stream";
import { describe, expect, test } from "@jest/globals";
import { logText } from "@parley/telemetry";
import fc from "fast-check";
import { appLog } from "../../src/runtime/process/log.ts";
import { createStackTracer } from "../../src/runtime/process/stack-trace.ts";
import { readLines, parseMessageLine } from "../../src/sandbox/message-lines.ts";

describe("an app's log", () => {
  const logged = (perSecond = 100) => {
    const lines: string[] = [];
    let now = 0;
    const log = appLog(
      "app",
      (...line) => lines.push(logText(...line)),
      perSecond,
      () => now,
    );
    return { lines, log, pass: (ms: number) => (now += ms) };
  };

  test("has the app's name and the level on each line", () => {
    const { lines, log } = logged();
    log("warn", "one\ntwo");
    expect(lines).toEqual(["[app] warn: one", "[app] warn: two"]);
  });

  test("contains no control characters and no forged lines", () => {
    const { lines, log } = logged();
    log("info", "a\u001b[2Jb\rc\u0000d\te\u009b");
    expect(lines).toEqual(["[app] info: a?[2Jb?c?d  e?"]);
  });

  test("is truncated during a flood, with the number of dropped lines", () => {
    const { lines, log, pass } = logged(2);
    for (let n = 0; n < 5; n += 1) log("info", `${n}`);
    pass(1000);
    log("info", "later");
    expect(lines).toEqual([
      "[app] info: 0",
      "[app] info: 1",
      "[app] warn: 3 more lines were dropped",
      "[app] info: later",
    ]);
  });

  test("truncates a long line", () => {
    const { lines, log } = logged();
    log("info", "x".repeat(10_000));
    expect(lines[0]?.length).toBeLessThan(2_100);
  });
});

describe("the message channel", () => {
  const read = async (chunks: readonly Buffer[], max: number) => {
    const lines: string[] = [];
    let tooLong = 0;
    const stream = Readable.from(chunks, { objectMode: false });
    readLines(
      stream,
      max,
      (...line) => lines.push(logText(...line)),
      () => void (tooLong += 1),
    );
    await new Promise((resolve) => stream.once("close", resolve));
    return { lines, tooLong };
  };

  test("returns the written lines for any split into chunks", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.string({ unit: "grapheme" }).map((text) => text.replaceAll("\n", ""))),
        fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }),
        async (lines, sizes) => {
          const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(""));
          const chunks: Buffer[] = [];
          for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
            const size = sizes[turn % sizes.length] ?? 1;
            chunks.push(bytes.subarray(at, at + size));
            at += size;
          }
          expect(await read(chunks, 10_000)).toEqual({ lines, tooLong: 0 });
        },
      ),
      { numRuns: 50 },
    );
  });

  test("stops at the first line that is too long, in one chunk or in many", async () => {
    const long = Buffer.from("x".repeat(30));
    expect(await read([Buffer.from(`ok\n${"x".repeat(30)}\nno\n`)], 20)).toEqual({ lines: ["ok"], tooLong: 1 });
    expect(await read([long, long, long], 50)).toEqual({ lines: [], tooLong: 1 });
  });

  test.each([
    "",
    "null",
    "[]",
    "{",
    '{"t":"done"}',
    '{"t":"done","id":0}',
    '{"t":"log","level":"info","text":1}',
    '{"t":"ask","id":1,"question":{"of":"request","name":"a","options":{"body":1}}}',
    '{"t":"loaded","handlers":[1]}',
    '{"t":"loaded","handlers":[],"more":1}',
  ])("rejects %s", (line) => {
    expect(parseMessageLine(line)).toBeUndefined();
  });

  test.each([
    '{"t":"done","id":1}',
    '{"t":"done","id":1,"rendered":{}}',
    '{"t":"ask","id":1,"question":{"of":"db.get"}}',
  ])("validates %s by its schema", (line) => {
    expect(parseMessageLine(line) === undefined).toBe(line.includes("db.get"));
  });
});

describe("a stack", () => {
  test("without a source map stays unchanged", () => {
    expect(createStackTracer(undefined)("at a (server.js:1:1)")).toBe("at a (server.js:1:1)");
  });

  test("keeps a location that the source map doesn't contain", () => {
    const map = JSON.stringify({ version: 3, sources: [], names: [], mappings: "" });
    expect(createStackTracer(map)("at a (server.js:9:9)\n    at b ([eval]:1:2)\n    at node:internal/x:1:1")).toBe(
      "at a (server.js:9:9)",
    );
  });
});
