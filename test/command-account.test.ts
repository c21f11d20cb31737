import { mkdir, readFile, rename, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, jest, test } from "@jest/globals";
import { parleyClient } from "@parley/client";
import { AccountDocument, strangersIn } from "@parley/contract";
import { openDatabase, statement, type Pool } from "@parley/database";
import { main } from "@parley/parley";
import { SCHEMA } from "@parley/service";
import { setTimeout as wait } from "node:timers/promises";
import { parley, ROOT, startParley, temporaryFolder, type Running } from "./running.ts";

/** Accounts, tokens and status at the terminal, against an instance that runs. */

const EXAMPLE = join(ROOT, "docs/examples/account.json");

let data: Awaited<ReturnType<typeof temporaryFolder>>;
let running: Running;
beforeAll(async () => {
  data = await temporaryFolder();
  running = await startParley(data.folder, { args: ["--no-install"], env: { PARLEY_CALLS_PER_HOUR: "" } });
}, 60_000);
afterAll(async () => {
  await running.stop();
  await data.remove();
});

/** A process of its own, as a terminal starts one. */
const run = (args: readonly string[], input = "") => parley(args, { env: { PARLEY_DATA: data.folder }, input });

/** The same command in this process, which spares each the start of another; an input comes as a file. */
const call = async (args: readonly string[], input?: string, folder = data.folder) => {
  const said = { stdout: "", stderr: "" };
  const spies = (["stdout", "stderr"] as const).map((name) =>
    jest.spyOn(process[name], "write").mockImplementation((chunk) => {
      said[name] += String(chunk);
      return true;
    }),
  );
  process.env["PARLEY_DATA"] = folder;
  const file = join(data.folder, "document.json");
  if (input !== undefined) await writeFile(file, input);
  try {
    const status = await main(args.map((word) => (word === "-" && input !== undefined ? file : word)));
    return { status, ...said };
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
};
/** -> what a command that succeeds prints. */
const done = async (args: readonly string[], input?: string) => {
  const { status, stdout, stderr } = await call(args, input);
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  return stdout;
};
/** -> the one line that a command which fails says. */
const failed = async (args: readonly string[], input?: string) => {
  const { status, stdout, stderr } = await call(args, input);
  expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
  expect(stderr).toMatch(/^parley: [^\n]+\n$/);
  return stderr;
};
const origin = () => new URL(running.service).origin;

describe("parley account", () => {
  test("apply makes the account of the example, whose document names nothing unknown", async () => {
    const text = await readFile(EXAMPLE, "utf8");
    expect(strangersIn(AccountDocument, JSON.parse(text))).toEqual([]);
    const dry = await done(["account", "apply", EXAMPLE, "--dry-run"]);
    expect(dry).toContain("+ account lantern\n");
    expect(dry).toContain("(dry run: nothing was done)");
    expect(await failed(["account", "export", "lantern"])).toContain("'parley account list' shows");
    const lines = (await done(["account", "apply", EXAMPLE])).trim().split("\n");
    expect(lines).toEqual(
      expect.arrayContaining(["+ channels Inbox", "+ business_hours Repairs", "+ templates lantern/repaired (en)"]),
    );
    expect(lines.at(-1)).toMatch(/^= \d+ created, 0 changed, 0 removed, 0 unchanged$/);
  });
  test("apply a second time has nothing to change, from the standard input too", async () => {
    expect(await done(["account", "apply", EXAMPLE])).toMatch(/^= nothing to change \(\d+ unchanged\)\n$/);
    const text = await readFile(EXAMPLE, "utf8");
    const { status, stdout } = await run(["account", "apply", "-", "--json", "--prune"], text);
    expect([status, JSON.parse(stdout)]).toEqual([0, expect.objectContaining({ changes: [] })]);
  });
  test("export goes back in with nothing to change", async () => {
    for (const name of ["lantern", "acme", "solo"]) {
      const document = await done(["account", "export", name]);
      expect(await done(["account", "apply", "-", "--prune"], document)).toContain("= nothing to change");
    }
  });
  test("a change and a removal are printed line by line", async () => {
    const document = {
      name: "lantern",
      plan_type: "Growth",
      roles: [],
      groups: [{ name: "Sales", description: "All" }],
    };
    const lines = await done(["account", "apply", "-"], JSON.stringify(document));
    expect(lines).toBe(
      "~ account lantern (plan_type)\n~ groups Sales (description)\n= 0 created, 2 changed, 0 removed, 0 unchanged\n",
    );
    expect(await done(["account", "apply", "-", "--prune"], JSON.stringify({ name: "lantern", roles: [] }))).toBe(
      "- roles Shift lead\n= 0 created, 0 changed, 1 removed, 1 unchanged\n",
    );
  });
  test("a token of the account opens it at its own address, which list names", async () => {
    const { token } = JSON.parse(await done(["token", "create", "--account", "lantern", "--json"])) as {
      token: string;
    };
    const found = JSON.parse(await done(["account", "list", "--json"])) as { name: string; base_path: string }[];
    const path = found.find(({ name }) => name === "lantern")?.base_path ?? "";
    expect(path).toBe("/suite/lantern/v2");
    const client = parleyClient({ url: origin() + path, token });
    expect((await client.channels.listChannels({ query: { locale: "de" } })).channels).toMatchObject([
      { name: "Eingang" },
    ]);
    expect(await done(["account", "list"])).toContain(`${origin()}/suite/lantern/v2`);
  });

  const wrong: [string, string, string][] = [
    ["no JSON", "{", "is not valid JSON"],
    ["no object", "[]", "must be an object with the account's name"],
    ["no name", "{}", "must be an object with the account's name"],
    ["a misspelt member", '{"name":"lantern","chanels":[]}', "a member that means nothing: chanels."],
    ["a misspelt one further in", '{"name":"lantern","groups":[{"name":"A","rooting":1}]}', "groups[0].rooting"],
    [
      "what the service refuses",
      '{"name":"lantern","groups":[{"name":""}]}',
      "INVALID_VALUE: groups[0].name must not be",
    ],
    ["a name with escape sequences", '{"name":"lantern","\\u001b[31mred":1}', "[31mred"],
  ];
  test.each(wrong)("apply says in one line what is wrong: %s", async (_, document, words) => {
    const line = await failed(["account", "apply", "-"], document);
    expect(line).toContain(words);
    expect(line).not.toContain("\u001b");
  });
  test("apply of a file that there is not says so", async () => {
    expect(await failed(["account", "apply", join(data.folder, "none.json")])).toContain("can't be read (ENOENT)");
  });
});

describe("parley token", () => {
  const calls = async (token: string, path = "/v2/agents") =>
    (await fetch(origin() + path, { headers: { authorization: `Bearer ${token}` } })).status;

  test("create prints what it made, list shows it, revoke ends it within a second", async () => {
    const text = await done(["token", "create", "--name", "sync", "--expires", "12h", "-p", "agent:read"]);
    const token = /parley_[\w-]{43}/.exec(text)?.[0] ?? "";
    expect([await calls(token), await calls(token, "/v2/groups")]).toEqual([200, 403]);
    const listed = await done(["token", "list"]);
    const id =
      listed
        .split("\n")
        .find((line) => line.includes("sync"))
        ?.split(" ")[0] ?? "";
    expect(listed).not.toContain(token);
    expect(await done(["token", "revoke", id])).toContain(`Revoked ${id} (sync)`);
    await wait(1_000);
    expect(await calls(token)).toBe(401);
    expect(await done(["token", "list"])).toMatch(new RegExp(`${id}  sync .*revoked 20`));
  });
  test("create --json prints exactly id and token", async () => {
    const { status, stdout, stderr } = await run(["token", "create", "--json"]);
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(Object.keys(JSON.parse(stdout) as object)).toEqual(["id", "token"]);
    expect(stdout.trim().split("\n")).toHaveLength(1);
  });
  test("create takes a day to end on", async () => {
    const year = new Date().getUTCFullYear() + 1;
    expect(await done(["token", "create", "--expires", `${year}-01-31`])).toContain(
      `Expires  ${year}-01-31T00:00:00.000Z`,
    );
  });
  test.each([
    ["an unknown permission", ["create", "-p", "agent:all"], "Choose from: account:read, user:read"],
    ["a time that is none", ["create", "--expires", "soon"], "such as 30d or 12h"],
    ["a time gone by", ["create", "--expires", "2020-01-01"], "expires_time must lie in the future"],
    ["an account that is none", ["create", "--account", "nobody"], "'parley account list' shows"],
    ["an id that is none", ["revoke", "none"], "'parley token list' shows"],
  ])("%s is refused in one line", async (_, args, words) => {
    expect(await failed(["token", ...args])).toContain(words);
  });
});

describe("parley status", () => {
  test("says what runs where", async () => {
    const text = await done(["status"]);
    for (const words of [
      origin(),
      running.app,
      String(running.pid),
      "embedded PostgreSQL",
      "/suite/acme/v2",
      "of 5000",
    ])
      expect(text).toContain(words);
  });
  test("--json says the same as one line", async () => {
    expect(JSON.parse(await done(["status", "--json"]))).toMatchObject({
      pid: running.pid,
      service: origin(),
      database: { embedded: true },
      accounts: expect.arrayContaining([
        {
          name: "acme",
          plan_type: "Enterprise",
          address: `${origin()}/suite/acme/v2`,
          calls: expect.objectContaining({ limit: 5000 }),
        },
      ]),
    });
  });
});

describe("what keeps a command from its work is said in one line", () => {
  const commands = [
    ["status"],
    ["account", "list"],
    ["account", "export", "acme"],
    ["token", "create"],
    ["token", "list"],
  ];
  test.each(commands.map((args) => [args.join(" "), args] as const))("no instance: %s", async (_, args) => {
    const { status, stderr } = await call(args, undefined, join(data.folder, "none", "data"));
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr: expect.stringMatching(/^parley: No instance runs on [^\n]+\n$/),
    });
  });
  test("a process of its own says it and ends with status 1", async () => {
    const { status, stderr } = await parley(["status"], { env: { PARLEY_DATA: join(data.folder, "none", "data") } });
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr: expect.stringMatching(/^parley: No instance runs on [^\n]+\n$/),
    });
  });
  test("the key's file is missing, or holds another key", async () => {
    const path = join(data.folder, "admin-key");
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    await rename(path, `${path}.away`);
    expect(await failed(["status"])).toContain("admin-key is missing. Restart the instance");
    await writeFile(path, "parley_admin_wrong\n");
    expect(await failed(["status"])).toContain("UNAUTHENTICATED");
    await rename(`${path}.away`, path);
    await done(["status"]);
  });
  test("the instance is gone without a word", async () => {
    const folder = join(data.folder, "left");
    await mkdir(folder);
    const instance = JSON.parse(await readFile(join(data.folder, "instance.json"), "utf8")) as object;
    await writeFile(join(folder, "instance.json"), JSON.stringify({ ...instance, service: "http://localhost:1/v2" }));
    await writeFile(join(folder, "admin-key"), "x\n");
    const { status, stderr } = await call(["status"], undefined, folder);
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr: expect.stringMatching(/^parley: The instance at [^\n]+ doesn't answer[^\n]+\n$/),
    });
  });
  test.each([
    ["account"],
    ["account apply"],
    ["account export"],
    ["account list"],
    ["token"],
    ["token create"],
    ["token list"],
    ["token revoke"],
    ["status"],
  ])("%s --help shows how it is used", async (command) => {
    const { status, stdout } = await call([...command.split(" "), "--help"]);
    expect(status).toBe(0);
    expect(stdout).toContain(`Usage: parley ${command}`);
    if (command !== "account" && command !== "token") expect(stdout).toMatch(/Examples?:\n {2}parley /);
  });
});

/** Others may read, none may write. */
const HOLD = statement("", "lock table business_hours in exclusive mode");
const WAITING = statement(
  "",
  "select 1 as one from pg_stat_activity where wait_event_type = 'Lock' and backend_xid is not null",
);

/** Resolves once a run waits for the lock, having written all the lists before it. */
const whileHeld = (pool: Pool, begin: () => unknown, then: () => Promise<unknown>) =>
  pool.transaction(async (tx) => {
    await tx.rows(HOLD, []);
    begin();
    while (!(await pool.one(WAITING, []))) await wait(10);
    await then();
  });

test("an instance that is killed with -9 in the middle of a run has done nothing of it", async () => {
  const before = await done(["account", "export", "lantern"]);
  const cluster = join(data.folder, "postgres", "cluster");
  const port = (await readFile(join(cluster, "postmaster.pid"), "utf8")).split("\n")[3] ?? "5432";
  const url = `postgresql://postgres@localhost:${port}/postgres?host=${encodeURIComponent(cluster)}`;
  const database = await openDatabase({ dataFolder: data.folder, url });
  const pool = database.pool(SCHEMA, { max: 2 });
  const document = {
    name: "lantern",
    plan_type: "Enterprise",
    groups: [{ name: "Night" }],
    business_hours: [{ timezone: "Asia/Tokyo", week: {} }],
  };
  let outcome: ReturnType<typeof run> | undefined;
  await whileHeld(
    pool,
    () => (outcome = run(["account", "apply", "-"], JSON.stringify(document))),
    () => running.signal("SIGKILL"),
  ).catch(() => undefined);
  expect(await outcome).toMatchObject({ status: 1, stderr: expect.stringContaining("doesn't answer") });
  await database.close();
  running = await startParley(data.folder, { args: ["--no-install"] });
  expect(await done(["account", "export", "lantern"])).toBe(before);
  expect(await done(["account", "apply", "-"], JSON.stringify(document))).toContain("+ groups Night");
}, 60_000);
