import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { consoleHarness, type ConsoleHarness, type CustomerConversation } from "./console-harness.ts";
import { readFile } from "node:fs/promises";
import { join } from "node:path";

/** What agents of each scope see in the console, and receive from the service. */

const SECRET = "wombat";
const LATER = "echidna";
const OWN = "quokka";

let s: ConsoleHarness;
let secret: CustomerConversation;
const emails: Record<string, string> = {};

const setScope = async (agentId: string, scope: string): Promise<void> => {
  const key = (await readFile(join(s.dataFolder, "admin-key"), "utf8")).trim();
  const reply = await fetch(`${s.origin}/admin/accounts/acme/agents/${agentId}`, {
    method: "PUT",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ scope }),
  });
  if (!reply.ok) throw new Error(await reply.text());
};

beforeAll(async () => {
  s = await consoleHarness({ args: ["--no-install"] });
  const { groups } = await s.client.groups.listGroups({});
  const [group, other] = groups.map(({ id }) => id);
  secret = await s.beginConversation("Secret Customer", `The ${SECRET} is confidential`);
  await s.client.conversations.updateConversation({
    params: { conversation_id: secret.id },
    body: { status: "new", assigned_group_id: other ?? "" },
  });
  for (const scope of ["Global", "Group", "Me", "None"]) {
    const email = `scope.${scope.toLowerCase()}@acme.example`;
    const { id } = await s.client.agents.createAgent({
      body: { email, role_id: "AGENT", groups: group ? [group] : [] },
    });
    await setScope(id, scope);
    emails[scope] = email;
    const own = await s.beginConversation(`Own ${scope}`, `${OWN} of ${scope}`);
    await s.client.conversations.updateConversation({
      params: { conversation_id: own.id },
      body: { status: "assigned", assigned_agent_id: id },
    });
  }
}, 120_000);
afterAll(() => s.stop());

/** Visits every page that could show the conversation. -> everything that the browser received, and the texts of the pages */
const look = async (scope: string) => {
  const agent = await s.visit(emails[scope]);
  const received: string[] = [];
  agent.context.on("response", (response) => {
    if (!/\/(?:console\/api|v2)\//.test(response.url()) || /\/stream/.test(response.url())) return;
    void response.text().then(
      (text) => received.push(text),
      () => undefined,
    );
  });
  // The stream does not end: its chunks are read by the protocol.
  const protocol = await agent.context.newCDPSession(agent.page);
  await protocol.send("Network.enable");
  protocol.on("Network.dataReceived", ({ data }: { readonly data?: string }) => {
    if (data !== undefined) received.push(Buffer.from(data, "base64").toString());
  });
  protocol.on("Network.responseReceived", ({ requestId, response }) => {
    if (/\/stream$/.test(response.url))
      void protocol.send("Network.streamResourceContent", { requestId }).catch(() => undefined);
  });
  const shown: string[] = [];
  const paths = [
    "/console/inbox?status=all",
    `/console/conversations/${secret.id}`,
    "/console/customers",
    `/console/customers/${secret.userId}`,
    `/console/search?q=${SECRET}`,
  ];
  for (const path of paths) {
    await agent.open(path);
    await agent.page.waitForTimeout(2_000);
    shown.push(await agent.page.locator("body").innerText());
  }
  await agent.open("/console/inbox?status=all");
  await agent.page.waitForTimeout(2_500);
  await secret.write(`${LATER} of ${scope}`);
  await agent.page.waitForTimeout(3_000);
  shown.push(await agent.page.locator("body").innerText());
  await agent.close();
  return { shown: shown.join("\n"), received: received.join("\n") };
};

test("an agent of the scope Global sees the conversation everywhere, and its new message arrives", async () => {
  const { shown, received } = await look("Global");
  expect(shown).toContain(SECRET);
  expect(shown).toContain("Secret Customer");
  expect(shown).toContain(`${LATER} of Global`);
  expect(received).toContain(`${LATER} of Global`);
}, 90_000);

describe.each(["Group", "Me", "None"])("an agent of the scope %s", (scope) => {
  test("neither sees nor receives anything of a conversation outside of it", async () => {
    const { shown, received } = await look(scope);
    // The address of the search names the word that was searched for.
    const withoutQuery = shown.replaceAll(`“${SECRET}”`, "").replaceAll(`"${SECRET}"`, "");
    for (const text of ["confidential", "Secret Customer", "secret.customer@", LATER]) {
      expect(withoutQuery).not.toContain(text);
      expect(received).not.toContain(text);
    }
    if (scope === "None") expect(shown).not.toContain(OWN);
    else expect(shown).toContain(`${OWN} of ${scope}`);
  }, 90_000);
});
