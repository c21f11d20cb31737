import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { waitUntil } from "../../../test/support/wait-until.ts";
import { campaignTest } from "../../../test/support/campaign.ts";
import { parleyClient } from "@parley/client";
import { AccountDocument, unknownMembers } from "@parley/contract";
import { embeddedUrl, openDatabase, statement, type Pool } from "@parley/database";
import { SERVICE_SCHEMA as SCHEMA } from "@parley/service";
import { ROOT } from "../../../test/support/parley-process.ts";
import { commandHarness, instanceHarness } from "./command-harness.ts";
import { fileFixture } from "../../../test/support/file-fixture.ts";

/** `parley account` against a running instance. */

const EXAMPLE = join(ROOT, "docs/examples/account.json");

const harness = fileFixture(commandHarness);

describe("parley account", () => {
  test("apply creates the account of the example document and reports no unknown names", async () => {
    const text = await readFile(EXAMPLE, "utf8");
    expect(unknownMembers(AccountDocument, JSON.parse(text))).toEqual([]);
    const dry = await harness.callSuccessfully(["account", "apply", EXAMPLE, "--dry-run"]);
    expect(dry).toContain("+ account lantern\n");
    expect(dry).toContain("(dry run: nothing was changed)");
    expect(await harness.callFailing(["account", "export", "lantern"])).toContain("'npx parley account list' shows");
    const lines = (await harness.callSuccessfully(["account", "apply", EXAMPLE])).trim().split("\n");
    expect(lines).toEqual(
      expect.arrayContaining(["+ channels Inbox", "+ business_hours Repairs", "+ templates lantern/repaired (en)"]),
    );
    expect(lines.at(-1)).toMatch(/^= \d+ created, 0 changed, 0 removed, 0 unchanged$/);
  });
  test("apply of an unchanged document reports no changes, from a file and from standard input", async () => {
    expect(await harness.callSuccessfully(["account", "apply", EXAMPLE])).toMatch(
      /^= nothing to change \(\d+ unchanged\)\n$/,
    );
    const text = await readFile(EXAMPLE, "utf8");
    const { status, stdout } = await harness.call(["account", "apply", "-", "--json", "--prune"], text);
    expect([status, JSON.parse(stdout)]).toEqual([0, expect.objectContaining({ changes: [] })]);
  });
  test("apply of an export reports no changes", async () => {
    for (const name of ["lantern", "acme", "solo"]) {
      const document = await harness.callSuccessfully(["account", "export", name]);
      expect(await harness.callSuccessfully(["account", "apply", "-", "--prune"], document)).toContain(
        "= nothing to change",
      );
    }
  });
  test("apply prints each changed and each removed record on its own line", async () => {
    const document = {
      name: "lantern",
      plan_type: "Growth",
      roles: [],
      groups: [{ name: "Sales", description: "All" }],
    };
    const lines = await harness.callSuccessfully(["account", "apply", "-"], JSON.stringify(document));
    expect(lines).toBe(
      "~ account lantern (plan_type)\n~ groups Sales (description)\n= 0 created, 2 changed, 0 removed, 0 unchanged\n",
    );
    expect(
      await harness.callSuccessfully(
        ["account", "apply", "-", "--prune"],
        JSON.stringify({ name: "lantern", roles: [] }),
      ),
    ).toBe("- roles Shift lead\n= 0 created, 0 changed, 1 removed, 1 unchanged\n");
  });
  test("a token of the account is valid at the base path that account list shows", async () => {
    const { token } = JSON.parse(
      await harness.callSuccessfully(["token", "create", "--account", "lantern", "--json"]),
    ) as {
      token: string;
    };
    const found = JSON.parse(await harness.callSuccessfully(["account", "list", "--json"])) as {
      name: string;
      base_path: string;
    }[];
    const path = found.find(({ name }) => name === "lantern")?.base_path ?? "";
    expect(path).toBe("/suite/lantern/v2");
    const client = parleyClient({ url: harness.origin + path, token });
    expect((await client.channels.listChannels({ query: { locale: "de" } })).channels).toMatchObject([
      { name: "Eingang" },
    ]);
    expect(await harness.callSuccessfully(["account", "list"])).toContain(`${harness.origin}/suite/lantern/v2`);
  });

  const wrong: [string, string, string][] = [
    ["invalid JSON", "{", "is not valid JSON"],
    ["a value that is not an object", "[]", "must be an object with the account's name"],
    ["a missing name", "{}", "must be an object with the account's name"],
    ["a misspelt member", '{"name":"lantern","chanels":[]}', "an unknown member: chanels."],
    ["a misspelt nested member", '{"name":"lantern","groups":[{"name":"A","rooting":1}]}', "groups[0].rooting"],
    [
      "a value that the service rejects",
      '{"name":"lantern","groups":[{"name":""}]}',
      "INVALID_VALUE: groups[0].name must not be",
    ],
    ["a name with escape sequences", '{"name":"lantern","\\u001b[31mred":1}', "[31mred"],
  ];
  test.each(wrong)("apply reports %s in one line", async (_, document, words) => {
    const line = await harness.callFailing(["account", "apply", "-"], document);
    expect(line).toContain(words);
    expect(line).not.toContain("\u001b");
  });
  test("apply of a missing file reports the path", async () => {
    expect(await harness.callFailing(["account", "apply", join(harness.folder, "none.json")])).toContain(
      "can't be read (ENOENT)",
    );
  });
});

/** Others may read the table, but not write it. */
const HOLD = statement("", "lock table business_hours in exclusive mode");
const WAITING = statement(
  "",
  "select 1 as one from pg_stat_activity where wait_event_type = 'Lock' and backend_xid is not null",
);

/** Calls `then` as soon as a statement waits for the lock, after all earlier lists have been written. */
const whileHeld = (pool: Pool, begin: () => unknown, then: () => Promise<unknown>) =>
  pool.transaction(async (tx) => {
    await tx.rows(HOLD, []);
    begin();
    await waitUntil(() => pool.one(WAITING, []));
    await then();
  });

campaignTest(
  "an instance that is killed with SIGKILL during account apply has applied nothing",
  async () => {
    const instance = await instanceHarness();
    await instance.callSuccessfully(["account", "apply", EXAMPLE]);
    const before = await instance.callSuccessfully(["account", "export", "lantern"]);
    const database = await openDatabase({ dataFolder: instance.folder, url: embeddedUrl(instance.folder) });
    const pool = database.pool(SCHEMA, { max: 2 });
    const document = {
      name: "lantern",
      plan_type: "Enterprise",
      groups: [{ name: "Night" }],
      business_hours: [{ timezone: "Asia/Tokyo", week: {} }],
    };
    let outcome: ReturnType<typeof instance.run> | undefined;
    await whileHeld(
      pool,
      () => (outcome = instance.run(["account", "apply", "-"], JSON.stringify(document))),
      () => instance.running.signal("SIGKILL"),
    ).catch(() => undefined);
    expect(await outcome).toMatchObject({ status: 1, stderr: expect.stringContaining("doesn't answer") });
    await database.close();
    await instance.restart();
    expect(await instance.callSuccessfully(["account", "export", "lantern"])).toBe(before);
    expect(await instance.callSuccessfully(["account", "apply", "-"], JSON.stringify(document))).toContain(
      "+ groups Night",
    );
    await instance.close();
  },
  60_000,
);
