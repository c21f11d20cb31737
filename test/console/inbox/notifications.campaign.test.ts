import { afterAll, beforeAll, beforeEach, expect, test } from "@jest/globals";
import type { Page } from "playwright-core";
import { consoleAccount } from "../support/account.ts";
import {
  consoleHarness,
  eventually,
  type AgentBrowser,
  type ConsoleHarness,
  type CustomerConversation,
} from "../support/harness.ts";

/** Notifications of the desktop and sounds, as the browser is asked for them. */

let s: ConsoleHarness;
let agent: AgentBrowser;
let page: Page;
let agentId: string;
/** An own conversation, one of a colleague, and one of nobody. */
let own: CustomerConversation;
let foreign: CustomerConversation;
let unassigned: CustomerConversation;

interface Shown {
  readonly title: string;
  readonly body: string;
  readonly tab: Page;
}
const notices: Shown[] = [];
/** Pitches of the tones that were started. @units hertz */
const tones: number[] = [];

beforeAll(async () => {
  s = await consoleHarness();
  agent = await s.visit();
  ({ page } = agent);
  agentId = (await agent.session.workspace.getWorkspace()).agent.agent_id;
  await agent.context.exposeBinding("noteNotice", ({ page: tab }, title: string, body: string) => {
    notices.push({ title, body, tab });
  });
  await agent.context.exposeBinding("noteTone", (_, pitch: number) => void tones.push(pitch));
  await agent.context.addInitScript(() => {
    const { noteNotice, noteTone } = globalThis as unknown as Record<string, (...values: unknown[]) => void>;
    const shown: FakeNotification[] = [];
    // A browser without a window refuses notifications whatever its context permits. The permission is that of all tabs.
    class FakeNotification {
      static get permission(): string {
        return localStorage.getItem("fake-permission") ?? "default";
      }
      static async requestPermission(): Promise<string> {
        if (this.permission === "default")
          localStorage.setItem("fake-permission", localStorage.getItem("fake-answer") ?? "granted");
        return this.permission;
      }
      onclick?: () => void;
      constructor(title: string, { body = "" }: NotificationOptions = {}) {
        shown.push(this);
        noteNotice?.(title, body);
      }
      close(): void {
        shown.splice(shown.indexOf(this), 1);
      }
    }
    Object.assign(globalThis, { Notification: FakeNotification, shown });
    globalThis.OscillatorNode = class extends OscillatorNode {
      override start(when?: number): void {
        noteTone?.(this.frequency.value);
        super.start(when);
      }
    };
  });
  const { account, colleague } = { account: consoleAccount(s), colleague: "Noah" };
  own = await s.beginConversation("Oda Own", "Hello");
  foreign = await s.beginConversation("Fritz Foreign", "Hello");
  unassigned = await s.beginConversation("Una Unassigned", "Hello");
  const { agents } = await s.client.agents.listAgents({ query: { items_per_page: 50 } });
  const noah = agents.find(({ first_name }) => first_name === colleague)?.id ?? "";
  await account.change(own.id, { status: "assigned", assigned_agent_id: agentId });
  await account.change(foreign.id, { status: "assigned", assigned_agent_id: noah });
});
afterAll(() => s.stop());

const openPreferences = async () => {
  await agent.open("/console/preferences");
  await page.getByRole("heading", { name: "Preferences" }).waitFor();
};
/** Turns a switch of the preferences on or off. */
const turn = async (name: string, isOn: boolean) => {
  const control = page.getByRole("switch", { name });
  if ((await control.isChecked()) !== isOn) await page.getByText(name, { exact: true }).click();
  await eventually(async () => expect(await control.isChecked()).toBe(isOn));
};
const DESKTOP = "Notifications on the desktop";
const SOUND = "Play a sound with a notification";
const chooseLevel = async (level: string) => {
  await page.getByRole("button", { name: /Notify me of customers’ messages in/ }).click();
  await page.getByRole("option", { name: level, exact: true }).click();
};
/** Texts of the notifications since the last call of `forget`. */
const bodies = () => notices.map(({ body }) => body);
const forget = () => {
  notices.length = 0;
  tones.length = 0;
};
/** Waits for notifications; others that came before them or with them are a failure. */
const expectNotices = (...texts: readonly string[]) => eventually(() => expect(bodies()).toEqual(texts));

/** The tab of the first one is at the preferences, with notifications and sounds off. */
beforeEach(async () => {
  for (const other of agent.context.pages()) if (other !== page) await other.close();
  await openPreferences();
  await turn(DESKTOP, false);
  await turn(SOUND, false);
  await chooseLevel("Conversations assigned to me or to nobody");
  forget();
});

test("a message shows one notification with the customer and the text over two tabs, and a click on it opens the conversation", async () => {
  await turn(DESKTOP, true);
  const other = await agent.tab("/console/templates");
  await other.getByRole("heading", { name: "Reply templates" }).waitFor();
  await own.write("Over two tabs");
  await expectNotices("Over two tabs");
  expect(notices[0]?.title).toBe("Oda Own");
  await unassigned.write("The next one");
  await expectNotices("Over two tabs", "The next one");
  const tab = notices[0]?.tab;
  await tab?.evaluate(() => {
    const [first] = (globalThis as unknown as { readonly shown: readonly { readonly onclick: () => void }[] }).shown;
    first?.onclick();
  });
  await tab?.waitForURL(`**/console/conversations/${own.id}`);
  await tab?.getByRole("region", { name: "Messages of the conversation" }).getByText("Over two tabs").waitFor();
});

test("messages of a conversation in view show no notification, neither there nor in another tab", async () => {
  await turn(DESKTOP, true);
  const other = await agent.tab(`/console/conversations/${own.id}`);
  const thread = other.getByRole("region", { name: "Messages of the conversation" });
  await thread.getByText("Hello").waitFor();
  await own.write("While it is read");
  await thread.getByText("While it is read").waitFor();
  await unassigned.write("Elsewhere");
  await expectNotices("Elsewhere");
});

test("replies of colleagues, private notes and messages of bots show no notification", async () => {
  await turn(DESKTOP, true);
  const account = consoleAccount(s);
  const parts = [{ text: { content: "Not by the customer" } }];
  await account.say(own.id, { actor_type: "agent", actor_id: agentId, message_parts: parts });
  await account.say(own.id, { actor_type: "agent", actor_id: agentId, message_type: "private", message_parts: parts });
  await account.say(own.id, { actor_type: "bot", message_parts: parts });
  await own.write("By the customer");
  await expectNotices("By the customer");
});

test.each([
  ["Conversations assigned to me", ["own"]],
  ["Conversations assigned to me or to nobody", ["unassigned", "own"]],
  ["All conversations", ["foreign", "unassigned", "own"]],
])("with the choice “%s” the messages of %j notify", async (level, expected) => {
  await turn(DESKTOP, true);
  await chooseLevel(level);
  await foreign.write("foreign");
  await unassigned.write("unassigned");
  await own.write("own");
  await eventually(() => expect(bodies().toSorted()).toEqual(expected.toSorted()));
});

test("when they are turned off in one tab, no tab shows notifications until they are turned on, which a reload keeps", async () => {
  await turn(DESKTOP, true);
  const other = await agent.tab("/console/inbox");
  await other.getByRole("grid").waitFor();
  await turn(DESKTOP, false);
  await own.write("Unnoticed");
  await other.getByRole("row", { name: /Unnoticed/ }).waitFor();
  await turn(DESKTOP, true);
  await page.reload();
  expect(await page.getByRole("switch", { name: DESKTOP }).isChecked()).toBe(true);
  await own.write("Noticed");
  await expectNotices("Noticed");
});

test("the chosen sound is heard with a message, after a reload too, and no sound when sounds are off", async () => {
  await turn(DESKTOP, true);
  await turn(SOUND, true);
  await page.getByRole("button", { name: /Bright|Soft/ }).click();
  await page.getByRole("option", { name: "Bright" }).click();
  await page.reload();
  expect(await page.getByRole("switch", { name: SOUND }).isChecked()).toBe(true);
  await page.getByRole("button", { name: "Bright Sound" }).waitFor();
  // Browsers are silent until the page was clicked.
  await page.getByRole("heading", { name: "Preferences" }).click();
  await own.write("With a sound");
  await expectNotices("With a sound");
  await eventually(() => expect(tones).toEqual([880, 1_175]));
  await turn(SOUND, false);
  forget();
  await own.write("Without a sound");
  await expectNotices("Without a sound");
  expect(tones).toEqual([]);
  await page.getByRole("button", { name: "Play" }).click();
  await eventually(() => expect(tones).toEqual([880, 1_175]));
});

test("the browser is asked when they are turned on, and its refusal is explained", async () => {
  await page.evaluate(() => {
    localStorage.removeItem("fake-permission");
    localStorage.setItem("fake-answer", "denied");
  });
  await openPreferences();
  await page.getByText("The browser asks you once whether this page may show notifications.").waitFor();
  await page.getByText(DESKTOP, { exact: true }).click();
  await page.getByText("The browser refuses them for this page.").waitFor();
  const control = page.getByRole("switch", { name: DESKTOP });
  expect([await control.isChecked(), await control.isDisabled()]).toEqual([false, true]);
  await page.evaluate(() => {
    localStorage.removeItem("fake-permission");
    localStorage.removeItem("fake-answer");
  });
});

test("the browser reported no errors", () => {
  expect(agent.errors).toEqual([]);
});
