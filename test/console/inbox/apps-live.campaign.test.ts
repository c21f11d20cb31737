import { cp, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { parleyClient } from "@parley/client";
import type { ConsoleApp } from "@parley/contract";
import type { Browser } from "playwright-core";
import { launchBrowser } from "../../../packages/framework/test/support/browser.ts";
import { settledState } from "../../../packages/framework/test/front/front-fixture.ts";
import {
  COOKIE_CONTROL_ARGUMENTS,
  openConsolePage,
  type ConsolePage,
} from "../../../packages/parley/test/console-page-harness.ts";
import { ROOT, startParley, temporaryFolder, type RunningParley } from "../../support/parley-process.ts";
import { SESSION_COOKIE, signInReally } from "../../support/real-session.ts";

/** Apps that are read from folders, inside a page of the console of the default start, in a browser that blocks third-party cookies. */

const SIDEBAR = "chat_conversation.conversation_user_info";

describe.each([
  ["without a sign-in for the pages of apps", {}],
  ["with PARLEY_APP_SIGN_IN=on", { PARLEY_APP_SIGN_IN: "on" }],
])("npm start %s", (_name, env) => {
  let data: Awaited<ReturnType<typeof temporaryFolder>>;
  let running: RunningParley;
  let browser: Browser;
  let host: ConsolePage;
  let conversation: string;
  let apps: ConsoleApp[];
  let agentId: string;

  beforeAll(async () => {
    data = await temporaryFolder();
    [running, browser] = await Promise.all([
      startParley(data.folder, { env }),
      launchBrowser(COOKIE_CONTROL_ARGUMENTS),
    ]);
    const client = parleyClient({ url: running.service, token: running.token });
    const { channels } = await client.channels.listChannels({ query: {} });
    const user = await client.users.createUser({ body: { first_name: "Kim" } });
    const created = await client.conversations.createConversation({
      body: {
        channel_id: channels[0]?.id ?? "",
        users: [{ id: user.id }],
        messages: [
          { message_parts: [{ text: { content: "Where is my order?" } }], actor_type: "user", actor_id: user.id },
        ],
      },
    });
    conversation = created.conversation_id;
    const origin = new URL(running.service).origin;
    const { cookie, token, agentId: id } = await signInReally(origin, data.folder);
    agentId = id;
    const session = { agentId, cookie: `${SESSION_COOKIE}=${cookie}`, token };
    host = await openConsolePage({ browser, origin, session });
    apps = await host.apps();
  });
  afterAll(async () => {
    await browser?.close();
    await running?.stop();
    await data?.remove();
  });

  test("lists Concierge with its panel", () => {
    expect(apps).toEqual([
      {
        name: "concierge",
        title: "Concierge",
        origin: `http://app-concierge.localhost:${new URL(running.app).port}`,
        places: [
          {
            id: SIDEBAR,
            kind: "sidebar",
            label: "Conversation user info",
            icon_url: expect.stringMatching(/^data:image\/svg/),
          },
        ],
      },
    ]);
  });

  test("shows Concierge's panel, whose actions reach the service and the console", async () => {
    const [concierge] = apps;
    if (!concierge) throw new Error("Concierge is not listed.");
    await host.embed(concierge, SIDEBAR, conversation);
    const panel = await host.page.waitForEvent("framenavigated", (frame) => frame.url().includes("/app/index.html"));
    await panel.locator("#decision-log").getByText("Greeted in the topic").waitFor();
    await panel.getByRole("button", { name: "Assign to me" }).click();
    expect(await host.act("notify")).toMatchObject([{ kind: "success" }]);
    const client = parleyClient({ url: running.service, token: running.token });
    const { assigned_agent_id } = await client.conversations.getConversation({
      params: { conversation_id: conversation },
    });
    expect(assigned_agent_id).toBe(agentId);
  });
});

test("parley run with two folders lists both apps, each with a host of its own", async () => {
  const [data, folders] = await Promise.all([temporaryFolder(), temporaryFolder()]);
  const [one, two] = ["front-pages", "front-pages-two"].map((name) => join(folders.folder, name)) as [string, string];
  for (const folder of [one, two])
    await cp(join(ROOT, "packages/framework/test/fixtures/front-pages"), folder, { recursive: true });
  await writeFile(join(two, "package.json"), JSON.stringify({ name: "second" }));
  const browser = await launchBrowser(COOKIE_CONTROL_ARGUMENTS);
  let running: RunningParley | undefined;
  try {
    const command = [
      process.execPath,
      join(ROOT, "packages/parley/bin/parley.mjs"),
      "run",
      "--json",
      "--install",
      one,
      two,
    ];
    running = await startParley(data.folder, { wrapCommand: () => command });
    const origin = new URL(running.service).origin;
    const { cookie, token, agentId } = await signInReally(origin, data.folder);
    const host = await openConsolePage({
      browser,
      origin,
      session: { agentId, cookie: `${SESSION_COOKIE}=${cookie}`, token },
    });
    const apps = await host.apps();
    expect(apps.map(({ name }) => name)).toEqual(["front-pages", "second"]);
    const [, second] = apps;
    if (!second) throw new Error("The second app is not listed.");
    await host.embed(second, SIDEBAR);
    const frame = await host.appFrame();
    expect(await settledState(frame, `client.data.get("loggedInAgent")`)).toMatchObject([
      "ok",
      { loggedInAgent: { id: agentId } },
    ]);
  } finally {
    await browser.close();
    await running?.stop();
    await Promise.all([data.remove(), folders.remove()]);
  }
});
