import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { consoleHarness, eventually, type ConsoleHarness } from "../console/support/harness.ts";
import { openEngine } from "./drivers.ts";
import { describeBrowsers } from "./installed-engines.mjs";
import { userOf, type User } from "./user.ts";

/** A customer in the demo shop that `npm start` prints, in each engine that is installed. `main-ways` reports missing engines. */

const PANEL = "/messenger";
/** The button is in a shadow tree. */
const BUTTON = `[...document.querySelectorAll("#fc_frame *")].map(({ shadowRoot }) => shadowRoot?.querySelector("button")).find(Boolean)`;
const IS_OPEN = `document.querySelector("#fc_widget")?.getBoundingClientRect().height > 100`;
const THREAD = `document.querySelector("[role=region][aria-label=Conversation]")?.innerText`;

let s: ConsoleHarness;
let agentId: string;
beforeAll(async () => {
  s = await consoleHarness({ hasConcierge: true });
  const { agents } = await s.client.agents.listAgents({ query: { items_per_page: 1 } });
  agentId = agents[0]?.id ?? "";
});
afterAll(() => s?.stop());

/** -> the id of the conversation that a text begins */
const conversationOf = async (text: string): Promise<string> => {
  let id = "";
  await eventually(async () => {
    const { users } = await s.client.users.listUsers({ query: { first_name: "Visitor", items_per_page: 100 } });
    for (const { id: userId } of users) {
      const { conversations } = await s.client.users.listUserConversations({ params: { user_id: userId } });
      for (const each of conversations ?? []) {
        const { messages } = await s.client.messages.listMessages({
          params: { conversation_id: each.id },
          query: { items_per_page: 20 },
        });
        if (messages.some(({ message_parts }) => message_parts[0]?.text?.content === text)) id = each.id;
      }
    }
    expect(id).not.toBe("");
  });
  return id;
};

for (const engine of describeBrowsers()) {
  if ("missing" in engine) continue;
  describe(`${engine.name} ${engine.version}`, () => {
    let site: User;
    let panel: User;
    beforeAll(async () => {
      const page = await openEngine(engine);
      site = userOf(page);
      panel = userOf(page, PANEL);
    });
    afterAll(() => site?.page.close());

    test("a customer opens the messenger, writes, is answered by Concierge and an agent, rates, and finds it all again", async () => {
      const question = `Where is my order, ${engine.name}?`;
      await site.page.open(s.messenger);
      await site.until(BUTTON);
      await eventually(() => site.page.click(BUTTON));
      await site.until(IS_OPEN);
      await panel.press("button", /^Support|\nSupport/);
      await panel.type("Message", question);
      await panel.press("button", "Send");
      await panel.until(`document.querySelectorAll(".replies button").length > 1`);
      const id = await conversationOf(question);

      await s.client.messages.createMessage({
        params: { conversation_id: id },
        body: { actor_type: "agent", actor_id: agentId, message_parts: [{ text: { content: "It is here." } }] },
      });
      await panel.until(`${THREAD}.includes("It is here.")`);

      await s.client.conversations.updateConversation({
        params: { conversation_id: id },
        body: { status: "resolved" },
      });
      await panel.press("button", "Yes");
      await eventually(() => site.page.click(`document.querySelectorAll(".star")[3]`, PANEL));
      await panel.until(`document.querySelector("input[type=radio][value='4']").checked`);
      await site.page.click(`document.querySelector(".rating form button[type=submit]")`, PANEL);
      await panel.see("Thank you for your answer.");

      await panel.press("button", "Close chat");
      await site.until(`!(${IS_OPEN})`);
      await site.page.open(s.messenger);
      await site.until(BUTTON);
      await eventually(() => site.page.click(BUTTON));
      await panel.press("button", /Support[^]*Resolved/);
      await panel.until(`${THREAD}.includes(${JSON.stringify(question)}) && ${THREAD}.includes("It is here.")`);
      expect(await site.page.takeErrors()).toEqual([]);
    });
  });
}
