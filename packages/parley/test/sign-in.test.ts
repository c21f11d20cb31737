import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { parleyClient } from "@parley/client";
import { joinDatabase, statement } from "@parley/database";
import { hashOf, SERVICE_SCHEMA } from "@parley/service";
import { campaignTest } from "../../../test/campaign.ts";
import { parley, temporaryFolder } from "../../../test/parley-process.ts";
import { commandHarness, type CommandHarness } from "./command-harness.ts";

/** Links that sign in agents, made on the server: by `parley sign-in` and at a start. */

/** A link in the database, which contains the hash of its secret. */
interface StoredLink {
  readonly purpose: string;
  readonly email: string;
  readonly seconds: number;
}

const LINK = statement(
  "",
  `select l.purpose, a.email, extract(epoch from l.expires_time - l.created_time)::int as seconds
     from sign_in_links l join agents a on a.account_id = l.account_id and a.id = l.agent_id
    where l.hash = $1`,
);

let harness: CommandHarness;
beforeAll(async () => {
  harness = await commandHarness();
}, 60_000);
afterAll(() => harness.close());

const storedLink = async (link: string): Promise<StoredLink | undefined> => {
  const database = await joinDatabase({ dataFolder: harness.folder, log: () => undefined });
  const pool = database.pool(SERVICE_SCHEMA, { max: 1 });
  try {
    return await pool.one<StoredLink>(LINK, [hashOf(link.split("/").at(-1) ?? "")]);
  } finally {
    await pool.end();
    await database.close();
  }
};

/** Sends the form of a link's page. -> the session cookie, if it signed in */
const sessionBy = async (link: string): Promise<string | undefined> => {
  const { origin } = new URL(link);
  const body = new URLSearchParams({ secret: link.split("/").at(-1) ?? "" });
  const reply = await fetch(`${origin}/sign-in/link`, { method: "POST", headers: { origin }, body });
  return reply.headers.getSetCookie()[0]?.split(";")[0];
};

interface CreatedLink {
  readonly link: string;
  readonly account: string;
  readonly agent_id: string;
  readonly email: string;
  readonly expires_time: string;
}
const createdLink = async (...args: readonly string[]): Promise<CreatedLink> =>
  JSON.parse(await harness.callSuccessfully(["sign-in", "--json", ...args])) as CreatedLink;

const linkOn = (origin: string) => new RegExp(`^${origin}/sign-in/link/[\\w-]{43}$`);

describe("parley sign-in", () => {
  test("prints a link for the first account admin of the instance's account, and until when it is valid", async () => {
    const text = await harness.callSuccessfully(["sign-in"]);
    const value = (name: string) => new RegExp(`^${name} +(.*)$`, "m").exec(text)?.[1] ?? "";
    expect(value("Link")).toMatch(linkOn(harness.origin));
    expect([value("Signs in"), value("Account")]).toEqual(["olivia@acme.example", "acme"]);
    const minutes = (Date.parse(value("Valid until").split(",")[0] ?? "") - Date.now()) / 60_000;
    expect(minutes).toBeGreaterThan(14);
    expect(minutes).toBeLessThanOrEqual(15);
    expect(await storedLink(value("Link"))).toEqual({ purpose: "sign_in", email: "olivia@acme.example", seconds: 900 });
    expect(await sessionBy(value("Link"))).toMatch(/^parley_session=/);
    expect(await sessionBy(value("Link"))).toBeUndefined();
  });

  test("--json prints one line with the link, the agent and the time", async () => {
    const { status, stdout, stderr } = await harness.run(["sign-in", "--json"]);
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(stdout.trim().split("\n")).toHaveLength(1);
    expect(Object.keys(JSON.parse(stdout) as object)).toEqual(["link", "account", "agent_id", "email", "expires_time"]);
  });

  test("--account and --email choose the agent, whatever the case of the address; each call makes another link", async () => {
    const first = await createdLink("--account", "acme", "--email", "Noah@ACME.example");
    const second = await createdLink("--account", "acme", "--email", "noah@acme.example");
    expect([first.email, first.agent_id]).toEqual(["noah@acme.example", second.agent_id]);
    expect(first.link).not.toBe(second.link);
    expect(await storedLink(first.link)).toMatchObject({ email: "noah@acme.example" });
    expect((await createdLink("--account", "solo")).account).toBe("solo");
  });

  test.each([
    ["an unknown account", ["--account", "nobody"], "'npx parley account list' shows"],
    ["an unknown agent", ["--email", "nobody@acme.example"], "no active agent with this e-mail address"],
    ["an agent of another account", ["--account", "solo", "--email", "noah@acme.example"], "no active agent"],
  ])("%s is rejected in one line", async (_, args, words) => {
    expect(await harness.callFailing(["sign-in", ...args])).toContain(words);
  });

  test("without an instance it fails in one line", async () => {
    const { status, stderr } = await harness.call(["sign-in"], undefined, join(harness.folder, "none", "data"));
    expect({ status, stderr }).toEqual({ status: 1, stderr: expect.stringMatching(/^parley: No instance runs on/) });
  });
});

describe("the sign-in link of a start", () => {
  test("signs in the demo account's owner, once and within 15 minutes", async () => {
    const link = harness.running.signIn ?? "";
    expect(link).toMatch(linkOn(harness.origin));
    expect(harness.origin).toMatch(/^http:\/\/localhost:\d+$/);
    expect(await storedLink(link)).toEqual({ purpose: "sign_in", email: "olivia@acme.example", seconds: 900 });
    // The page does not use the link.
    expect((await fetch(link)).status).toBe(200);
    expect(await sessionBy(link)).toMatch(/^parley_session=/);
    expect(await sessionBy(link)).toBeUndefined();
  });

  test("is not part of the seed: a reset makes it invalid", async () => {
    await harness.running.stop();
    await harness.restart();
    const link = harness.running.signIn ?? "";
    expect(await storedLink(link)).toBeDefined();
    await harness.callSuccessfully(["reset"]);
    expect(await storedLink(link)).toBeUndefined();
    expect(await sessionBy(link)).toBeUndefined();
    expect(await sessionBy((await createdLink()).link)).toMatch(/^parley_session=/);
  });

  test("is absent when the account has no active owner any more, and the start succeeds", async () => {
    const owner = await createdLink();
    const client = parleyClient({ url: harness.running.service, token: harness.running.token });
    const { agents } = await client.agents.listAgents({ query: { items_per_page: 100 } });
    const owners = agents.filter(({ role_id }) => role_id === "ACCOUNT_ADMIN");
    expect(owners.map(({ id }) => id)).toContain(owner.agent_id);
    for (const { id } of owners)
      await client.agents.updateAgent({ params: { agent_id: id }, body: { role_id: "AGENT" } });
    await harness.running.stop();
    await harness.restart();
    expect(harness.running.signIn).toBeUndefined();
    expect(await harness.callFailing(["sign-in"])).toContain("no active agent with the role Account admin");
  });
});

campaignTest("parley start shows the sign-in link, whom it signs in, and how long", async () => {
  const data = await temporaryFolder();
  let isStopped = false;
  const { status, stdout } = await parley(["start", "--no-install"], {
    env: { PARLEY_DATA: data.folder },
    onOutput: (text) => {
      if (isStopped || !text.includes("Stop with")) return;
      isStopped = true;
      void readFile(join(data.folder, "instance.json"), "utf8").then((file) =>
        process.kill((JSON.parse(file) as { pid: number }).pid, "SIGTERM"),
      );
    },
  });
  await data.remove();
  expect(status).toBe(0);
  expect(stdout).toMatch(
    /Sign in +http:\/\/localhost:\d+\/sign-in\/link\/[\w-]{43} {2}as olivia@acme\.example, once, within 15 minutes/,
  );
});
