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
  // Actions of the instance at its start.
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
    "The audit log of the account lamps has no such entries. Leave a filter out to see more.\n",
  );
});

test("audit --limit shows the newest entries and says how many are older", async () => {
  await harness.callSuccessfully(["token", "create", "--name", "newest"]);
  const text = await harness.callSuccessfully(["audit", "--limit", "1"]);
  expect(text).toContain('"name":"newest"');
  expect(text).toMatch(
    /\n\d+ older entries are not shown: --page 2 and --limit show more, --export and --csv write all\.\n$/,
  );
  expect(text.trim().split("\n")).toHaveLength(3);
});

test("audit --export writes one entry a line, the oldest first, and is recorded", async () => {
  const { status, stdout, stderr } = await harness.call(["audit", "--export"]);
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  const entries = entriesIn(stdout);
  expect(entries.map(({ time }) => time)).toEqual(entries.map(({ time }) => time).toSorted());
  expect(entries.at(-1)).toMatchObject({ action: "audit_log.export", actor: { type: "operator" } });
  const { stdout: filtered } = await harness.call(["audit", "--export", "--action", "token.create"]);
  expect([...new Set(entriesIn(filtered).map(({ action }) => action))]).toEqual(["token.create"]);
  expect(stdout).not.toContain(token);
});

test("audit --actor and --object choose entries as the page of the audit log does", async () => {
  const read = async (...args: string[]) =>
    JSON.parse(await harness.callSuccessfully(["audit", "--json", ...args])) as AuditEntry[];
  const all = await read();
  const named = all.find(({ details }) => details["name"] === "audited");
  expect(named).toBeDefined();
  expect(await read("--object", "AUDITED")).toEqual([named]);
  expect(await read("--object", named?.subject ?? "")).toEqual([named]);
  const system = await read("--actor", "system");
  expect(system).toEqual(all.filter(({ actor }) => actor.type === "system"));
  expect(system.length).toBeGreaterThan(0);
  expect(await read("--actor", "system", "--object", "audited")).toEqual([]);
});

test("audit --page continues the list without a gap, with every limit", async () => {
  for (let count = 0; count < 3; count++)
    await harness.callSuccessfully(["token", "create", "--name", `page ${count}`]);
  const read = async (...args: string[]) =>
    (JSON.parse(await harness.callSuccessfully(["audit", "--json", ...args])) as AuditEntry[]).map(({ id }) => id);
  const all = await read("--limit", "1000");
  expect(all.length).toBeGreaterThan(4);
  for (const limit of [1, 2, 3]) {
    const listed: string[] = [];
    for (const page of [1, 2, 3]) listed.push(...(await read("--limit", String(limit), "--page", String(page))));
    expect(listed).toEqual(all.slice(0, 3 * limit));
  }
  expect(await read("--page", "2")).toEqual([]);
});

test("audit --csv writes a file that a spreadsheet reads and never evaluates", async () => {
  await harness.callSuccessfully(["token", "create", "--name", "=1+1"]);
  const { status, stdout, stderr } = await harness.call(["audit", "--csv", "--object", "=1+1"]);
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  const [header, row, end] = stdout.split("\r\n");
  expect(header).toBe("\uFEFFtime,actor_type,actor,actor_id,address,action,subject,details");
  expect(row).toMatch(/^\d{4}-[\d-]+T[\d:.]+Z,operator,,,127\.0\.0\.1,token\.create,[\w-]{36},"\{""name"":""=1\+1"",/);
  expect(end).toBe("");
});

test.each([
  ["an unknown account", ["--account", "nobody"], "'npx parley account list' shows"],
  ["the export of an unknown account", ["--account", "nobody", "--export"], "'npx parley account list' shows"],
  ["an unknown action", ["--action", "token.use"], "Choose from: account.create, account.change"],
  ["an invalid time", ["--from", "yesterday"], "A time is written as 2026-01-31"],
  ["a day that does not exist", ["--from", "2026-02-30"], "A time is written as 2026-01-31"],
  ["an invalid limit", ["--limit", "0"], "--limit takes a whole number of at least 1"],
  ["an invalid page", ["--page", "two"], "--page takes a whole number of at least 1"],
  ["a page after the last page", ["--page", "99999"], "--page takes 1 to"],
  ["an empty actor", ["--actor", " "], "--actor takes a type, an id or a name"],
  ["an object that is too long", ["--object", "x".repeat(256)], "of at most 255 characters"],
  [
    "a range without a moment",
    ["--from", "2026-02-01", "--until", "2026-01-01"],
    "--from must be earlier than --until",
  ],
  ["two outputs", ["--json", "--csv"], "choose one of them"],
  ["a page of a file", ["--csv", "--page", "2"], "leave --page out"],
])("%s is rejected in one line", async (_, args, words) => {
  expect(await harness.callFailing(["audit", ...args])).toContain(words);
});

test("audit --help prints its usage", async () => {
  const { status, stdout } = await harness.call(["audit", "--help"]);
  expect(status).toBe(0);
  expect(stdout).toContain("Usage: parley audit");
  expect(stdout).toMatch(/Examples:\n {2}npx parley audit\n/);
});
