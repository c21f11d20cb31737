import { expect } from "@jest/globals";
import type { ParleyClient } from "@parley/client";
import { MESSENGER_PATH } from "@parley/contract";
import { eventually } from "../../../../test/console/support/harness.ts";
import type { EnginePage } from "../../../../test/engines/drivers.ts";
import { userOf } from "../../../../test/engines/user.ts";
import { answer, conversationOf } from "./account.ts";

/** The button is in a shadow tree. */
const BUTTON = `[...document.querySelectorAll("#fc_frame *")].map(({ shadowRoot }) => shadowRoot?.querySelector("button")).find(Boolean)`;
const IS_OPEN = `document.querySelector("#fc_widget")?.getBoundingClientRect().height > 100`;
const THREAD = `document.querySelector("[role=region][aria-label=Conversation]")?.innerText`;

/** A customer with the messenger of a site, in any engine. */
export interface Customer {
  readonly page: EnginePage;
  /** Presses the button and waits for the panel. */
  open(): Promise<void>;
  /** Begins a conversation, which the service must have. -> its id */
  write(client: ParleyClient, text: string): Promise<string>;
  /** Waits until the open conversation shows a text. */
  see(text: string): Promise<void>;
  /** Opens the conversation of the list. */
  openConversation(): Promise<void>;
  /** Follows the link of the site to its next page. */
  follow(): Promise<void>;
  /** Expects one messenger that is initialized. */
  expectOne(): Promise<void>;
  /** Ends the session: the next site of the browser begins without it. */
  signOut(): Promise<void>;
}

const DEFAULT_TOPIC = "Inbox";

export const customerOf = (page: EnginePage): Customer => {
  const site = userOf(page);
  const panel = userOf(page, MESSENGER_PATH);
  return {
    page,
    async open() {
      await site.until(BUTTON);
      await eventually(() => page.click(BUTTON));
      await site.until(IS_OPEN);
    },
    async write(client, text) {
      await panel.press("button", new RegExp(`^${DEFAULT_TOPIC}|\\n${DEFAULT_TOPIC}`));
      await panel.type("Message", text);
      await panel.press("button", "Send");
      return (await conversationOf(client, text)).id;
    },
    see: (text) => panel.until(`${THREAD}?.includes(${JSON.stringify(text)})`),
    // A topic of the same list has no latest message.
    openConversation: () => panel.press("button", new RegExp(String.raw`${DEFAULT_TOPIC}[^]*:\s`)),
    async follow() {
      await site.press("link", "Next");
      await site.until(`document.querySelector("h1")?.innerText === "Next page" && location.pathname === "/next"`);
    },
    async expectOne() {
      await site.until("window.fcWidget?.isInitialized()");
      expect(
        await page.evaluate("['#fc_frame', '#fc_widget'].map((each) => document.querySelectorAll(each).length)"),
      ).toEqual([1, 1]);
    },
    async signOut() {
      // Not every driver waits for promises.
      await page.evaluate("void fcWidget.user.clear().then(() => { window.isCleared = true; })");
      await site.until("window.isCleared");
    },
  };
};

/** The customer writes, the service has the message, and its answer is shown. */
export const converse = async (customer: Customer, client: ParleyClient, text: string): Promise<string> => {
  const id = await customer.write(client, text);
  await answer(client, id, `Answer to: ${text}`);
  await customer.see(`Answer to: ${text}`);
  return id;
};
