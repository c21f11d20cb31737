import { PassThrough } from "node:stream";
import { beforeAll, describe, expect, test } from "@jest/globals";
import type { AccountSummary, ClosedAccount, CreatedAccount } from "@parley/contract";
import { waitUntil } from "../../../test/support/wait-until.ts";
import { commandHarness } from "./command-harness.ts";
import { fileFixture } from "../../../test/support/file-fixture.ts";

/** `parley account create`, `close` and `reopen` against a running instance. */

const harness = fileFixture(commandHarness);

const create = async (name: string): Promise<CreatedAccount> =>
  JSON.parse(
    await harness.callSuccessfully(["account", "create", name, "--owner", `ada@${name}.example`, "--json"]),
  ) as CreatedAccount;
const summaryOf = async (name: string) =>
  (JSON.parse(await harness.callSuccessfully(["account", "list", "--json"])) as AccountSummary[]).find(
    (account) => account.name === name,
  );

/** Types a line into a terminal while a command runs; undefined: ends the input. */
const typing = async <T>(line: string | undefined, work: () => Promise<T>): Promise<T> => {
  const terminal = Object.assign(new PassThrough(), { isTTY: true });
  const found = Object.getOwnPropertyDescriptor(process, "stdin");
  Object.defineProperty(process, "stdin", { configurable: true, get: () => terminal });
  try {
    terminal.end(line === undefined ? "" : `${line}\n`);
    return await work();
  } finally {
    if (found) Object.defineProperty(process, "stdin", found);
  }
};

describe("parley account create", () => {
  test("shows the link by which the owner chooses a password, once", async () => {
    const args = [
      "account",
      "create",
      "lumen",
      "--owner",
      "ada@lumen.example",
      "--first-name",
      "Ada",
      "--plan",
      "Growth",
    ];
    const output = await harness.callSuccessfully(args);
    expect(output).toMatch(
      /^Account {2}lumen\nOwner {4}ada@lumen\.example\nLink {5}http\S+\/sign-in\/password#\S{43}\n/,
    );
    const [, secret = ""] = /#(\S{43})/.exec(output) ?? [];
    const reply = await fetch(`${harness.origin}/identity/password-link`, {
      method: "POST",
      headers: { "content-type": "application/json", origin: harness.origin },
      body: JSON.stringify({ token: secret }),
    });
    expect(await reply.json()).toMatchObject({ account: "lumen", purpose: "invitation" });
    expect(await harness.callSuccessfully(["account", "list"])).toMatch(/lumen +Growth +STANDALONE +open /);
    expect(harness.lines.join("\n")).not.toContain(secret);
  });
  test("prints one line of JSON with --json", async () => {
    const created = await create("json");
    expect(Object.keys(created).sort()).toEqual(["account", "email", "expires_time", "id", "link", "owner_id"]);
  });
  const wrong: [string, string[], string][] = [
    ["a name that is taken", ["acme", "--owner", "a@b.example"], "ACCOUNT_EXISTS"],
    ["an invalid name", ["No Name", "--owner", "a@b.example"], "INVALID_VALUE: name"],
    ["an invalid address", ["other", "--owner", "nobody"], "INVALID_VALUE: email must be an address"],
  ];
  test.each(wrong)("reports %s in one line", async (_, args, words) => {
    expect(await harness.callFailing(["account", "create", ...args])).toContain(words);
  });
  test("requires an owner and a known plan", async () => {
    const { status, stderr } = await harness.call(["account", "create", "other"]);
    expect([status, stderr.includes("--owner")]).toEqual([1, true]);
    expect(
      (await harness.call(["account", "create", "other", "--owner", "a@b.example", "--plan", "Gold"])).status,
    ).toBe(1);
    expect(await summaryOf("other")).toBeUndefined();
  });
});

describe("parley account close", () => {
  beforeAll(async () => void (await create("dusk")));

  test("without a terminal it needs --yes", async () => {
    const line = await harness.callFailing(["account", "close", "dusk"]);
    expect(line).toContain("--yes");
    expect((await summaryOf("dusk"))?.closed_time).toBeUndefined();
  });
  test.each([
    ["another name", "dawn"],
    ["nothing", ""],
    ["the end of the input", undefined],
  ])("on a terminal it does nothing after %s was typed", async (_, typed) => {
    const { status, stdout, stderr } = await typing(typed, () => harness.call(["account", "close", "dusk"]));
    expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
    expect(stderr).toContain("The account dusk was not closed.");
    expect((await summaryOf("dusk"))?.closed_time).toBeUndefined();
  });
  test("on a terminal it closes the account whose name was typed, and list shows when its data is deleted", async () => {
    const { status, stdout, stderr } = await typing("dusk", () => harness.call(["account", "close", "dusk"]));
    expect(status).toBe(0);
    expect(stderr).toContain("its data is deleted after 30 days");
    const { deletion_time = "" } = (await summaryOf("dusk")) ?? {};
    expect(stdout).toContain(`Its data is deleted at ${deletion_time}.`);
    expect(await harness.callSuccessfully(["account", "list"])).toContain(`closed, deleted at ${deletion_time}`);
  });
  test("--after sets the days, --json prints one line", async () => {
    const output = await harness.callSuccessfully(["account", "close", "dusk", "--after", "7", "--yes", "--json"]);
    const { account, deletion_time = "" } = JSON.parse(output) as ClosedAccount;
    expect(account).toBe("dusk");
    const { closed_time = "" } = (await summaryOf("dusk")) ?? {};
    expect(Math.round((Date.parse(deletion_time) - Date.parse(closed_time)) / 86_400_000)).toBe(7);
  });
  test("a token of the account is refused, and a new one is not issued", async () => {
    expect(await harness.callFailing(["token", "create", "--account", "dusk"])).toContain(
      "'npx parley account reopen <name>'",
    );
    expect(await harness.callFailing(["account", "apply", "-"], '{"name":"dusk"}')).toContain("ACCOUNT_CLOSED");
  });
  const wrong: [string, string[], string][] = [
    ["an unknown account", ["none", "--yes"], "ACCOUNT_NOT_FOUND"],
    ["too many days", ["dusk", "--yes", "--after", "3651"], "from 0 to 3650"],
    ["days that are not a number", ["dusk", "--yes", "--after", "soon"], "not 'soon'"],
  ];
  test.each(wrong)("reports %s in one line", async (_, args, words) => {
    expect(await harness.callFailing(["account", "close", ...args])).toContain(words);
  });
});

describe("parley account reopen", () => {
  test("reopens a closed account, whose tokens are valid again", async () => {
    await create("dawn");
    const { token } = JSON.parse(
      await harness.callSuccessfully(["token", "create", "--account", "dawn", "--json"]),
    ) as { token: string };
    const call = async () =>
      (await fetch(`${harness.origin}/v2/agents`, { headers: { authorization: `Bearer ${token}` } })).status;
    expect(await call()).toBe(200);
    await harness.callSuccessfully(["account", "close", "dawn", "--yes"]);
    await waitUntil(async () => (await call()) === 403);
    expect(await harness.callSuccessfully(["account", "reopen", "dawn"])).toContain("Reopened dawn");
    await waitUntil(async () => (await call()) === 200);
    expect(JSON.parse(await harness.callSuccessfully(["account", "reopen", "dawn", "--json"]))).toEqual({
      account: "dawn",
    });
    expect(await harness.callFailing(["account", "reopen", "none"])).toContain("ACCOUNT_NOT_FOUND");
  });
});
