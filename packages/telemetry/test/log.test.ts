import { describe, expect, test } from "@jest/globals";
import { createProcessLog, logText, throttleFailures, type LogFormat, type LogLevel } from "@parley/telemetry";

const AT = new Date("2026-01-05T09:00:00.000Z");

const writer = (options: { format?: LogFormat; level?: LogLevel; hasDate?: boolean } = {}) => {
  const written: string[] = [];
  const write = (text: string) => void written.push(text);
  return {
    written,
    log: createProcessLog({ format: "text", level: "debug", hasDate: true, ...options, write, now: () => AT }),
  };
};

describe("a line of the log as text", () => {
  test.each([
    ["a message", "Ready", {}, "2026-01-05T09:00:00.000Z Ready\n"],
    ["an error", "It failed", { level: "error" }, "2026-01-05T09:00:00.000Z error: It failed\n"],
    ["a part", "down", { level: "warn", part: "jobs" }, "2026-01-05T09:00:00.000Z warn: jobs: down\n"],
    ["the output of an app", "hi", { app: "leads" }, "2026-01-05T09:00:00.000Z [leads] info: hi\n"],
    [
      "a request",
      "GET /v2/users failed: Error\n    at x",
      { level: "error", account: "acme", request_id: "a-1" },
      "2026-01-05T09:00:00.000Z error: GET /v2/users failed: Error account=acme request_id=a-1\n    at x\n",
    ],
    ["control characters", "a\u001b[2Jb\u0007", {}, "2026-01-05T09:00:00.000Z a?[2Jb?\n"],
  ] as const)("of %s", (_, message, fields, expected) => {
    const { log, written } = writer();
    log(message, fields);
    expect(written).toEqual([expected]);
  });

  test("begins with the time of day alone on a terminal", () => {
    const { log, written } = writer({ hasDate: false });
    log("Ready");
    expect(written.join("")).toMatch(/^\d\d:\d\d:\d\d Ready\n$/);
  });
});

describe("a line of the log as JSON", () => {
  test("is one object, also when its message has several lines", () => {
    const { log, written } = writer({ format: "json" });
    log('"It" failed\n    at x', { level: "error", part: "events", account: "acme", request_id: undefined, key: "k" });
    expect(written).toHaveLength(1);
    expect(written[0]?.trimEnd()).not.toContain("\n");
    expect(JSON.parse(written[0] ?? "")).toEqual({
      time: "2026-01-05T09:00:00.000Z",
      level: "error",
      message: '"It" failed\n    at x',
      part: "events",
      account: "acme",
    });
  });
});

test.each([
  ["debug", ["debug", "info", "warn", "error"]],
  ["info", ["info", "warn", "error"]],
  ["warn", ["warn", "error"]],
  ["error", ["error"]],
] as const)("with the level %s the log has lines of the levels %j", (level, expected) => {
  const { log, written } = writer({ level, format: "json" });
  for (const each of ["debug", "info", "warn", "error"] as const) log(`A line of ${each}`, { level: each });
  expect(written.map((line) => (JSON.parse(line) as { level: string }).level)).toEqual(expected);
});

describe("repeated failures", () => {
  const throttled = () => {
    const lines: string[] = [];
    const pending = new Set<() => void>();
    const later = (task: () => void) => {
      pending.add(task);
      return () => void pending.delete(task);
    };
    const log = throttleFailures((message) => void lines.push(message), { intervalMs: 2_000, later });
    const endInterval = () => {
      const due = [...pending];
      pending.clear();
      for (const task of due) task();
    };
    return { log, lines, endInterval, pending };
  };

  test("are written once, and their number at the end of each interval, also when no other follows", () => {
    const { log, lines, endInterval, pending } = throttled();
    for (let count = 0; count < 100; count++) log(`Port ${count} is closed`, { level: "error" });
    expect(lines).toEqual(["Port 0 is closed"]);
    endInterval();
    expect(lines.splice(0)).toEqual(["Port 0 is closed", "Port 99 is closed\n(99 times more within 2 s)"]);
    log("Port 7 is closed", { level: "error" });
    endInterval();
    expect(lines.splice(0)).toEqual(["Port 7 is closed\n(once more within 2 s)"]);
    endInterval();
    expect([lines, pending.size]).toEqual([[], 0]);
    log("Port 8 is closed", { level: "error" });
    expect(lines).toEqual(["Port 8 is closed"]);
  });

  test("with the same key are repetitions of one another, with any messages", () => {
    const { log, lines } = throttled();
    log("GET /v2/users failed", { level: "error", key: "57P01" });
    log("POST /v2/conversations failed", { level: "error", key: "57P01" });
    expect(lines).toEqual(["GET /v2/users failed"]);
  });

  test("are counted with the ids of all requests that they stand for", () => {
    const written: string[] = [];
    const ends: (() => void)[] = [];
    const later = (task: () => void) => {
      ends.push(task);
      return () => undefined;
    };
    const log = throttleFailures((message, fields) => void written.push(logText(message, fields)), { later });
    for (let count = 0; count < 4; count++)
      log(`Request ${count} was refused`, { level: "info", key: "refused", request_id: `r-${count}` });
    for (const end of ends.splice(0)) end();
    expect(written).toEqual([
      "Request 0 was refused request_id=r-0",
      "Request 3 was refused request_ids=r-1,r-2,r-3\n(3 times more within 5 s)",
    ]);
    for (let count = 0; count < 1_000; count++)
      log("A request was refused", { level: "info", key: "refused", request_id: "x".repeat(128) });
    for (const end of ends.splice(0)) end();
    expect(written.at(-1)).toMatch(/\n\(1000 times more within 5 s\)$/);
    expect(written.at(-1)?.length).toBeLessThan(17_000);
  });

  test.each([
    ["other failures", "other", { level: "error" }],
    ["less severe lines", "a", { level: "info" }],
    ["the output of an app", "a", { level: "error", app: "leads" }],
    ["failures of another part", "a", { level: "error", part: "jobs" }],
  ] as const)("hide no %s", (_, message, fields) => {
    const { log, lines } = throttled();
    log("a", { level: "error" });
    for (let count = 0; count < 2; count++) log(message, fields);
    expect(lines).toContain(message);
    expect(lines.length).toBeGreaterThanOrEqual(2);
  });

  test("of more than 500 kinds are written again, so that the memory stays small", () => {
    const { log, lines, pending } = throttled();
    const kinds = Array.from({ length: 501 }, (_, count) => `failure ${"x".repeat(count)}`);
    for (const kind of [...kinds, "failure ", "failure x", "failure xxx"]) log(kind, { level: "error" });
    expect(lines.slice(501)).toEqual(["failure ", "failure x"]);
    expect(pending.size).toBe(500);
  });
});
