import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { InstalledApp, PublishedVersion } from "@parley/contract";
import { joinDatabase, statement } from "@parley/database";
import { appPageHarness, type AppPageHarness } from "../../packages/parley/test/app-page-harness.ts";
import { greeter } from "../../packages/parley/test/greeter-app.ts";
import { ROOT } from "../support/parley-process.ts";

/**
 * An author publishes Concierge and a second app by commands. Admins of two accounts install both from the catalogue in a browser, with their own
 * settings. Three processes of the platform run them.
 */

const ACCOUNTS = ["acme", "solo"] as const;
const STORED = "App installation parameters have been successfully stored.";
/** Written by Concierge itself. */
const BOT_NAMES = { acme: "Ada of Acme", solo: "Sol of Solo" } as const;

let harness: AppPageHarness;
let folder: string;
beforeAll(async () => {
  [harness, folder] = await Promise.all([
    appPageHarness(["--app-workers", "3"]),
    mkdtemp(join(tmpdir(), "parley-second-app-")),
  ]);
});
afterAll(async () => {
  expect(await harness.stop()).toEqual([]);
  await rm(folder, { recursive: true, force: true });
});
/** The account solo has one group. */
const SOLO_MENU = "I have a question => Everyone";

const writeSecondApp = async (version: string) => {
  for (const [path, content] of Object.entries(greeter(version))) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), typeof content === "string" ? content : JSON.stringify(content));
  }
};
const json = async <T>(...command: readonly string[]) => JSON.parse(await harness.run(...command, "--json")) as T;
const catalogueOf = () => `${harness.announced.apps}/catalogue`;
/** Texts of the replies to a new customer: of Concierge and of the second app. */
const greeted = async (account: string, text: string) => {
  const conversation = await harness.write(account, text);
  const replies = await harness.until(async () => {
    const all = await harness.replies(account, conversation);
    return all.some((reply) => reply.endsWith(`: ${text}`)) && all.length >= 2 ? all : undefined;
  });
  return { conversation, replies };
};

test("the author publishes both apps", async () => {
  const concierge = await json<PublishedVersion>("publish", ROOT);
  expect(concierge).toMatchObject({ name: "concierge", digest: expect.stringMatching(/^[0-9a-f]{64}$/) });
  expect(Object.keys(concierge)).toEqual(["name", "version", "digest", "permissions", "hosts", "events"]);
  await writeSecondApp("1.0.0");
  expect(await json<PublishedVersion>("publish", folder)).toEqual({
    name: "greeter",
    version: "1.0.0",
    digest: expect.any(String),
    permissions: ["account:read", "message:create"],
    hosts: ["<%= iparam.domain %>"],
    events: ["onAppInstall", "afterAppUpdate", "onAppUninstall", "onMessageCreate"],
  });
});

test.each(ACCOUNTS)(
  "an admin of %s installs both from the catalogue, with the account's own settings",
  async (account) => {
    const visit = await harness.visit(catalogueOf(), undefined, {}, account);
    const { page, errors } = visit;
    for (const [title, key, values] of [
      ["Concierge", "API key", { bot_name: BOT_NAMES[account], ...(account === "solo" && { menu: SOLO_MENU }) }],
      ["Greeter", "Key", { greeting: `Welcome to ${account}` }],
    ] as const) {
      await page.goto(catalogueOf());
      await page.getByRole("button", { name: `Install ${title}` }).click();
      const installation = await page
        .getByRole("dialog")
        .getByRole("link", { name: /^Install/ })
        .getAttribute("href");
      await page.goto(installation ?? "");
      await page.fill("[id=domain]", account);
      await page.getByRole("button", { name: new RegExp(`^Create a key for .*${key}`, "i") }).click();
      await page.getByText("A key was created and filled in.").waitFor();
      for (const [name, value] of Object.entries(values)) await page.fill(`[id=${name}]`, value);
      await page.getByRole("button", { name: "Install", exact: true }).click();
      await page.getByText(STORED).waitFor();
    }
    await page.goto(catalogueOf());
    const installed = page.getByRole("table", { name: "Installed apps" }).getByRole("link");
    await installed.nth(1).waitFor();
    expect(await installed.allInnerTexts()).toEqual(["Concierge", "Greeter"]);
    expect(errors).toEqual([]);
    await visit.leave();
  },
  120_000,
);

test("customers of both accounts get their own greetings", async () => {
  for (const account of ACCOUNTS) {
    const { replies } = await greeted(account, "hello");
    expect(replies.filter((reply) => reply.startsWith("Welcome to"))).toEqual([`Welcome to ${account} 1.0.0: hello`]);
    const own = replies.filter((reply) => reply.includes(BOT_NAMES[account]));
    expect(own.length).toBeGreaterThan(0);
    const other = ACCOUNTS.find((name) => name !== account) ?? "acme";
    expect(replies.join("\n")).not.toContain(BOT_NAMES[other]);
  }
});

test("one account upgrades in the browser, the other pauses by a command, and each is unaffected by the other", async () => {
  await writeSecondApp("2.0.0");
  await json<PublishedVersion>("publish", folder);
  const visit = await harness.visit(catalogueOf());
  const { page } = visit;
  await page.getByRole("link", { name: "Greeter", exact: true }).click();
  await page.getByRole("button", { name: "Upgrade to 2.0.0" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Upgrade", exact: true }).click();
  await page.getByText("Greeter runs version 2.0.0.").waitFor();
  await visit.leave();
  expect(await json<InstalledApp>("apps", "pause", "concierge", "--account", "solo")).toMatchObject({
    state: "paused",
  });
  const { replies } = await greeted("acme", "after");
  expect(replies).toContain("Welcome to acme 2.0.0: after");
  expect(replies.join("\n")).toContain(BOT_NAMES.acme);
  const quiet = await harness.write("solo", "quiet");
  expect(await harness.untilReplies("solo", quiet, 1)).toEqual(["Welcome to solo 1.0.0: quiet"]);
  await json<InstalledApp>("apps", "resume", "concierge", "--account", "solo");
  const both = await harness.until(async () => {
    const all = await harness.replies("solo", quiet);
    return all.some((reply) => reply.includes(BOT_NAMES.solo)) ? all : undefined;
  });
  expect(both[0]).toBe("Welcome to solo 1.0.0: quiet");
});

test("the same goes on while one of the three processes is killed", async () => {
  const database = await joinDatabase({ dataFolder: harness.dataFolder, url: undefined, log: () => undefined });
  const pool = database.pool("parley_apps");
  const holder = await pool.one<{ pid: number }>(
    statement(
      "",
      `select pid, count(*) from installation_leases join platform_processes on platform_processes.id = process_id
        group by pid order by count(*) desc limit 1`,
    ),
    [],
  );
  await pool.end();
  await database.close();
  // Process 0 would be the whole group of this process.
  if (!holder) throw new Error("no process holds an installation");
  process.kill(holder.pid, "SIGKILL");
  const greetings = await Promise.all(ACCOUNTS.map((account) => greeted(account, "still")));
  expect(greetings[0]?.replies).toContain("Welcome to acme 2.0.0: still");
  expect(greetings[1]?.replies).toContain("Welcome to solo 1.0.0: still");
  for (const { replies } of greetings) expect(new Set(replies).size).toBe(replies.length);
});
