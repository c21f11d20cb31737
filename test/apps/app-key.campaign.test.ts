import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, jest, test } from "@jest/globals";
import { parleyClient } from "@parley/client";
import { PERMISSIONS, type Invocation } from "@parley/contract";
import { waitUntil } from "../support/wait-until.ts";
import { appHarness, type AppHarness } from "../support/app-harness.ts";
import { releaseBackupFixture } from "../support/release-backup-fixture.ts";
import { parley, startParley, temporaryFolder } from "../support/parley-process.ts";

/** The API key of an app that a start has installed has the permissions that the app's requests need, in place of its earlier permissions. */

jest.setTimeout(90_000);

interface Token {
  readonly name: string;
  readonly permissions: readonly string[];
  readonly revoked_time?: string;
}
const permissionsIn = (listed: string, name = "app"): readonly string[][] =>
  (JSON.parse(listed) as Token[])
    .filter((token) => token.name === name && token.revoked_time === undefined)
    .map(({ permissions }) => [...permissions]);

describe("an instance of an earlier release with fewer permissions on its key, and with changed settings", () => {
  let work: Awaited<ReturnType<typeof temporaryFolder>>;
  beforeAll(async () => {
    work = await temporaryFolder();
  });
  afterAll(() => work.remove());

  test("keeps its installed key and settings, and the key gets the permissions that this release needs", async () => {
    const folder = join(work.folder, "data");
    const inside = { env: { PARLEY_DATA: folder } };
    const release = await releaseBackupFixture("0.1.0", join(work.folder, "release"), {
      [String.raw`\"bot_name\":\"Concierge\"`]: String.raw`\"bot_name\":\"Iris\"`,
    });
    const restored = await parley(["restore", release.folder], inside);
    expect(restored).toMatchObject({ status: 0 });
    const running = await startParley(folder);
    try {
      const listed = await parley(["token", "list", "--json"], inside);
      const needed = ["user:read", "user:create", "user:update", "csat:create", "metric:read", "agent:read"];
      expect(permissionsIn(listed.stdout)).toEqual([expect.arrayContaining(needed)]);
      expect(permissionsIn(listed.stdout)[0]).not.toContain("agent:delete");
      const chatResult = await parley(["chat", "--once", "Hi"], inside);
      expect(chatResult.stdout).toMatch(/^Iris: /);
      const client = parleyClient({ url: running.service, token: running.token });
      const { users } = await client.users.listUsers({ query: { first_name: "Sam" } });
      const params = { user_id: users[0]?.id ?? "" };
      const [conversation] = (await client.users.listUserConversations({ params })).conversations;
      const { agents } = await client.agents.listAgents({});
      const data = JSON.stringify({ conversation_id: conversation?.id, agent: agents[0], now: new Date() });
      const shown = await parley(["event", "panelView", "--data", data, "--json"], inside);
      const { requests } = JSON.parse(shown.stdout) as Invocation;
      expect(requests.map(({ template }) => template)).toEqual(expect.arrayContaining(["getUser", "listGroups"]));
      expect(requests.filter(({ status }) => status !== 200)).toEqual([]);
      expect(running.output.stderr).not.toContain("permission");
    } finally {
      await running.stop();
    }
  });
});

describe("parley run", () => {
  let harness: AppHarness | undefined;
  afterEach(() => harness?.close());
  const keyNow = async (one: AppHarness) => permissionsIn(await one.callSuccessfully("token", "list", "--json"));

  test("grants the app's key the permissions of its templates, and updates them when the templates change", async () => {
    const one = (harness = await appHarness());
    expect(await keyNow(one)).toEqual([["account:read", "group:read"]]);
    const file = join(one.folder, "config/requests.json");
    const before = await readFile(file, "utf8");
    await writeFile(file, before.replace("/v2/groups", "/v2/agents"));
    await waitUntil(async () => JSON.stringify(await keyNow(one)).includes("agent:read"));
    expect(await keyNow(one)).toEqual([["account:read", "agent:read"]]);
  });

  test("grants the app's key all permissions if they can't be derived", async () => {
    const template = { schema: { method: "GET", host: "<%= iparam.domain %>", path: "/<%= context.path %>" } };
    const one = (harness = await appHarness({ "config/requests.json": JSON.stringify({ listGroups: template }) }, []));
    expect(await keyNow(one)).toEqual([[...PERMISSIONS]]);
  });
});
