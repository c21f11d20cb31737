import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { AuditEntry } from "@parley/contract";
import { commandHarness, type CommandHarness } from "./command-harness.ts";

/** `parley audit` against a running instance. */

let harness: CommandHarness;
let token: string;
beforeAll(async () => {
  harness = await commandHarness();
  const text = await harness.callSuccessfully(["token", "create", "--name", "audited", "-p", "agent:read"]);
  token = /parley_[\w-]{43}/.exec(text)?.[0] ?? "";
  await harness.callSuccessfully(["account", "apply", "-"], '{"name":"lamps","groups":[{"name":"Repairs"}]}');
});
afterAll(() => harness.close());

const entriesIn = (lines: string) =>
  lines
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as AuditEntry);

test("audit shows who did what, when, and from where, the newest entry first", async () => {
  const text = await harness.callSuccessfully(["audit"]);
  expect(text).toMatch(
    /^\S*time +who +address +action +subject +details\S*\n\d{4}-\d\d-\d\dT[\d:.]+Z +operator +127\.0\.0\.1 +token\.create +[\w-]{36} +\{"name":"audited","permissions":\["agent:read"\]/,
  );
  // What the instance did at its start.
  expect(text).toMatch(/Z +system +token\.create +/);
  expect(text).not.toContain(token);
});

test("audit --account, --action, --from and --until choose entries", async () => {
  const lamps = await harness.callSuccessfully(["audit", "--account", "lamps"]);
  expect(lamps).toContain("account.create  lamps");
  expect(lamps).toContain('"name":"Repairs"');
  expect(lamps).not.toContain("token.create");
  const count = async (...args: string[]) =>
    (JSON.parse(await harness.callSuccessfully(["audit", "--account", "lamps", "--json", ...args])) as AuditEntry[])
      .length;
  expect(await count()).toBe(1);
  expect(await count("--action", "account.create", "--from", "2026-01-01")).toBe(1);
  expect(await count("--action", "account.change")).toBe(0);
  expect(await count("--until", "2026-01-01T00:00:00Z")).toBe(0);
  expect(await harness.callSuccessfully(["audit", "--account", "lamps", "--action", "app.install"])).toBe(
    "The audit log of the account lamps has no such entries.\n",
  );
});

test("audit --limit shows the newest entries and says how many are older", async () => {
  await harness.callSuccessfully(["token", "create", "--name", "newest"]);
  const text = await harness.callSuccessfully(["audit", "--limit", "1"]);
  expect(text).toContain('"name":"newest"');
  expect(text).toMatch(/\n\d+ older entries are not shown: --limit shows more, --export writes all\.\n$/);
  expect(text.trim().split("\n")).toHaveLength(3);
});

test("audit --export writes one entry a line, the oldest first, and is recorded", async () => {
  const { status, stdout, stderr } = await harness.run(["audit", "--export"]);
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  const entries = entriesIn(stdout);
  expect(entries.map(({ time }) => time)).toEqual(entries.map(({ time }) => time).toSorted());
  expect(entries.at(-1)).toMatchObject({ action: "audit_log.export", actor: { type: "operator" } });
  const { stdout: filtered } = await harness.run(["audit", "--export", "--action", "token.create"]);
  expect([...new Set(entriesIn(filtered).map(({ action }) => action))]).toEqual(["token.create"]);
  expect(stdout).not.toContain(token);
});

test.each([
  ["an unknown account", ["--account", "nobody"], "'npx parley account list' shows"],
  ["the export of an unknown account", ["--account", "nobody", "--export"], "'npx parley account list' shows"],
  ["an unknown action", ["--action", "token.use"], "Choose from: account.create, account.change"],
  ["an invalid time", ["--from", "yesterday"], "A time is written as 2026-01-31"],
  ["a day that does not exist", ["--from", "2026-02-30"], "A time is written as 2026-01-31"],
  ["an invalid limit", ["--limit", "0"], "--limit takes a whole number of at least 1"],
])("%s is rejected in one line", async (_, args, words) => {
  expect(await harness.callFailing(["audit", ...args])).toContain(words);
});

test("audit --help prints its usage", async () => {
  const { status, stdout } = await harness.call(["audit", "--help"]);
  expect(status).toBe(0);
  expect(stdout).toContain("Usage: parley audit");
  expect(stdout).toMatch(/Examples:\n {2}npx parley audit\n/);
});
