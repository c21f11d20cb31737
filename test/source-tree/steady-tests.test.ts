import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { readFiles, ROOT, type Source } from "./sources.ts";

/**
 * No test judges by elapsed time or waits for a fixed time: such a test fails on a busy machine, or delays every run. A test waits for a
 * condition (`test/support/wait-until.ts`), takes the clock from its harness, or counts. Speed is measured by `npm run bench`.
 */

/** Files that read the monotonic clock, each with its reason. */
const CLOCK_READERS: Readonly<Record<string, string>> = {
  "test/support/wait-until.ts": "the deadline that ends a test that fails",
  "test/console/support/harness.ts": "the deadline that ends a test that fails",
  "test/support/shared-instance.ts": "the deadline for the end of an instance, after which the process ends",
  "test/console/accessibility/tab-order.campaign.test.ts": "the test concerns a busy page",
  "packages/framework/test/runtime/parsing-time.campaign.test.ts": "the test concerns a busy app",
  "packages/framework/test/runtime/installation-limits.campaign.test.ts":
    "the test concerns limits by the second and shares of a processor",
  "packages/service/test/events/stream/stream-reader-fixture.ts": "a deadline; the wait ends with each received frame",
  "packages/service/test/events/presence/console-stream.ts": "a deadline; the wait ends with each received item",
  "packages/database/test/server-liveness.campaign.test.ts":
    "a statement is held for longer than the database package waits for an answer",
};

/** Files with fixed waits, each with its reason. */
const WAITERS: Readonly<Record<string, string>> = {
  "packages/console/test/composer/draft-keeper.test.ts": "`wait` moves the clock of the test",
  "packages/framework/test/runtime/app-process.system.test.ts": "handlers of apps that answer late",
  "packages/framework/test/runtime/attacks-on-host.test.ts": "a handler that answers late",
  "packages/framework/test/installation/uninstall.test.ts": "a callback of an app that answers late",
  "packages/framework/test/sandbox/boundary/escapes.ts": "the time limit of an attempt in an app's process",
  "packages/framework/test/sandbox/boundary/runner.ts": "the time limit of an attempt in an app's process",
  "packages/framework/test/package/bundler-limits.campaign.test.ts": "a bundler that works for long",
  "packages/framework/test/front/front-client-first.campaign.test.ts": "a server that answers late",
  "packages/framework/test/front/front-agent-page.system.test.ts": "the test concerns the pauses of the page's retries",
  "packages/framework/test/installation/install-own-page.campaign.test.ts": "a page that is shown late",
  "packages/framework/test/runtime/installation-limits.campaign.test.ts": "the test concerns shares of a processor",
  "packages/framework/test/runtime/process-early-end.campaign.test.ts":
    "the deadline for the end of a process, which only ends a test that fails",
  "packages/parley/test/serve.system.test.ts": "requests that a stopped process has are given up, then sent again",
  "packages/service/test/http/idempotency/unconfirmed-reply.campaign.test.ts":
    "a poll until the answer: each turn ends what waits",
  "packages/messenger/test/attacks/uploads.campaign.test.ts":
    "the time that a browser has to run a program, which it does not run",
  "test/support/instance-keeper.mjs": "the time that an instance has to end",
  "test/apps/session-theft-app.ts": "the time limit of an attempt in an app's page",
  "packages/database/test/connection-attempts.campaign.test.ts": "the test concerns the length of an outage",
  "packages/database/test/server-liveness.campaign.test.ts": "statements at intervals while another statement is held",
};

/** Shortest forbidden wait. @units milliseconds */
const WAIT_MIN_MS = 100;

/** The files of tests and of what they use; not `test/runner` and `test/setup`, which run them, and `test/compatibility`, a command. */
const sources = readFiles(
  [...readdirSync(join(ROOT, "packages")).map((name) => join("packages", name, "test")), "test"],
  /\.(ts|tsx|mts|mjs)$/,
).filter(({ path }) => !/^test\/(runner|setup|compatibility)\//.test(path));

/** Comments become spaces, so that places remain. */
const codeOf = (text: string): string =>
  text.replace(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/[^\n]*/g, (comment) => comment.replace(/[^\n]/g, " "));

const lineOf = (text: string, index: number): number => text.slice(0, index).split("\n").length;

const numberOf = (literal: string): number => Number(literal.replaceAll("_", ""));

/** -> `path:line: code` of each match */
const placesOf = ({ path }: Source, code: string, matches: Iterable<RegExpMatchArray>): string[] =>
  [...matches].map(({ index = 0 }) => {
    const line = lineOf(code, index);
    return `${path}:${line}: ${code.split("\n")[line - 1]?.trim()}`;
  });

/** Readings of the monotonic clock, and differences of two readings of the wall clock. */
const clockReadings = (source: Source): string[] => {
  const code = codeOf(source.text);
  const began = [...code.matchAll(/\b(\w+)\s*=\s*Date\.now\(\)\s*[;,]/g)].map(([, name]) => name);
  const differences = [...code.matchAll(/Date\.now\(\)\s*-\s*(\w+)/g)].filter(([, name]) => began.includes(name));
  return placesOf(source, code, [
    ...code.matchAll(/\bperformance\.now\(\)|\bprocess\.(?:hrtime|uptime)\b/g),
    ...differences,
  ]);
};

/** Waits by a number, or by a constant of the same file. */
const fixedWaits = (source: Source): string[] => {
  const code = codeOf(source.text);
  const constants = new Map(
    [...code.matchAll(/\bconst (\w+)(?:: number)? = ([\d_]+)\s*[;,]/g)].map(([, name = "", value = ""]) => [
      name,
      numberOf(value),
    ]),
  );
  // `setTimeout(resolve, 950)`, `setTimeout(() => …, 950)`, `setTimeout(950)`, `wait(950, value)`. The methods `jest.setTimeout` and
  // `socket.setTimeout` set time limits.
  const calls = code.matchAll(
    /(?:(?<![\w.])|page(?:\(\))?\.)(?:setTimeout|wait|sleep|pause|elapse|delay|waitForTimeout)\(\s*(?:(?:[A-Za-z_]\w*|\(\)\s*=>[^;{}]*?|\(\)\s*=>\s*\{[^{}]*\})\s*,\s*)?([\d_]+|[A-Za-z]\w*)(?=\s*[,)*])/g,
  );
  return placesOf(
    source,
    code,
    [...calls].filter(([, amount = ""]) => {
      const ms = /^\d/.test(amount) ? numberOf(amount) : (constants.get(amount) ?? 0);
      return ms >= WAIT_MIN_MS;
    }),
  );
};

const offendersOf = (placesIn: (source: Source) => string[], permitted: Readonly<Record<string, string>>) =>
  sources.filter(({ path }) => !(path in permitted)).flatMap(placesIn);

test("no test reads a clock to judge by elapsed time", () => {
  expect(offendersOf(clockReadings, CLOCK_READERS)).toEqual([]);
});

test(`no test waits for a fixed time of ${WAIT_MIN_MS} ms or more`, () => {
  expect(offendersOf(fixedWaits, WAITERS)).toEqual([]);
});

test.each([
  ["reads a clock", clockReadings, CLOCK_READERS],
  ["waits", fixedWaits, WAITERS],
])("every file in the table of files with a reason exists and still %s", (_, placesIn, permitted) => {
  const used = sources.filter((source) => source.path in permitted && placesIn(source).length > 0);
  expect(used.map(({ path }) => path).sort()).toEqual(Object.keys(permitted).sort());
});
