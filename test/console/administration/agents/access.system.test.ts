import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { SESSION_TOKEN, type AgentRole } from "@parley/contract";
import { consoleAccount } from "../../support/account.ts";
import { consoleHarness, eventually, type AgentBrowser, type ConsoleHarness } from "../../support/harness.ts";

/**
 * Who may see which page of the administration. The pages are those that the owner's overview lists, and what the service must refuse are the
 * requests that they send.
 */

let s: ConsoleHarness;
let owner: AgentBrowser;
/** Paths of the pages, with the paths that each reads. */
const readings = new Map<string, readonly string[]>();

/** The pages that the list beside them has for an agent. */
const listedPages = async ({ page }: AgentBrowser): Promise<string[]> => {
  const links = page.getByRole("navigation", { name: "Pages of the administration" }).getByRole("link");
  return (await Promise.all((await links.all()).map((link) => link.getAttribute("href")))).flatMap(
    (href) => href ?? [],
  );
};
const isReading = (request: string): boolean => /^GET \/(?:admin|platform|v2|console\/api)\//.test(request);

/** Asks for a path as a script in a page of the agent would. -> code of the response */
const statusOf = ({ page }: AgentBrowser, path: string): Promise<number> =>
  page.evaluate(
    async ([address, header]) => {
      const token = localStorage.getItem("parley-session-token") ?? "";
      return (await fetch(address, { headers: { [header]: token } })).status;
    },
    [path, SESSION_TOKEN] as const,
  );

beforeAll(async () => {
  s = await consoleHarness();
  owner = await s.visit();
  await owner.open("/console/admin");
  await owner.page.getByRole("heading", { name: "Administration", level: 1 }).waitFor();
  for (const path of await listedPages(owner)) {
    owner.requests.length = 0;
    await owner.open(path);
    await owner.page.getByRole("heading", { level: 1 }).waitFor();
    await eventually(async () => expect(await owner.page.getByText("Loading", { exact: true }).count()).toBe(0));
    // What every page of the console reads is not the page's own.
    readings.set(path, [...new Set(owner.requests.filter(isReading).map((request) => request.slice(4)))]);
  }
});
afterAll(() => s.stop());

test("the owner sees pages of every section", () => {
  expect(readings.size).toBeGreaterThanOrEqual(2);
  expect([...readings.values()].flat().filter((path) => path.startsWith("/admin/"))).not.toEqual([]);
});

describe.each<AgentRole>(["AGENT", "SUPER_USER", "ADMIN"])("an agent with the role %s", (role) => {
  let agent: AgentBrowser;
  let listed: readonly string[];
  beforeAll(async () => {
    const account = consoleAccount(s);
    const { email } = await account.agent({ name: `Role ${role}`, role });
    agent = await s.visit(email);
    await agent.open("/console/admin");
    await agent.page.getByRole("heading").first().waitFor();
    listed = await listedPages(agent);
  });
  afterAll(() => agent.close());

  test("sees the pages that are listed, and the link to the administration as an admin only", async () => {
    const console = agent.page.getByRole("navigation", { name: "Console" });
    const links = console.getByRole("link", { name: "Administration" });
    expect(await links.count()).toBe(role === "ADMIN" ? 1 : 0);
    for (const path of listed) {
      await agent.open(path);
      await agent.page.getByRole("heading", { level: 1 }).waitFor();
      expect(await agent.page.getByText("Your role may not see this page").count()).toBe(0);
      expect(await agent.page.getByText("This can’t be shown").count()).toBe(0);
    }
  });

  test("is refused all others, by the console before it asks, and by the service if it is asked", async () => {
    const others = [...readings].filter(([path]) => !listed.includes(path));
    if (role !== "ADMIN") expect(others).not.toEqual([]);
    const ownPaths = new Set(listed.flatMap((path) => readings.get(path) ?? []));
    for (const [path, read] of others) {
      agent.requests.length = 0;
      await agent.open(path);
      await agent.page.getByText("Your role may not see this page").waitFor();
      const own = read.filter((each) => /^\/(?:admin|platform)\//.test(each) && !ownPaths.has(each));
      expect(agent.requests.filter((request) => own.includes(request.slice(4)))).toEqual([]);
      for (const each of own)
        expect([each, await statusOf(owner, each), await statusOf(agent, each)]).toEqual([each, 200, 403]);
    }
  });
});
