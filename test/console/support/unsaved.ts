import { expect } from "@jest/globals";
import { Secret, TOTP } from "otpauth";
import type { Locator, Page } from "playwright-core";
import { eventually, type AgentBrowser, type ConsoleHarness } from "./harness.ts";

/** What tests of unsaved text share. */

export const NOAH = "noah@acme.example";
export const PASSWORD = "correct horse battery";

export const threadOf = (shown: Page): Locator => shown.getByRole("region", { name: "Messages of the conversation" });
export const replyField = (shown: Page): Locator => shown.getByRole("textbox", { name: "Reply to the customer" });
export const noteField = (shown: Page): Locator =>
  shown.getByRole("textbox", { name: "Private note, for your team only" });
export const chooseMode = (shown: Page, mode: "Reply" | "Private note") =>
  shown.getByRole("radio", { name: new RegExp(`^${mode}`) }).check({ force: true });
export const signInDialog = (shown: Page): Locator => shown.getByRole("alertdialog", { name: "Sign in again" });

export const expectText = (field: Locator, text: string) =>
  eventually(async () => expect(await field.inputValue()).toBe(text));
/** Gives the agent a password: signing in again asks for it. Its other sessions end. */
export const setPassword = (shown: AgentBrowser) =>
  shown.session.sessions
    .changePassword({ body: { password: PASSWORD } })
    .catch(() => shown.session.sessions.changePassword({ body: { current_password: PASSWORD, password: PASSWORD } }));
const STEP_MS = 30_000;
/** Sets up a second factor with the code before the present code: each is accepted once. @shape code: the present code */
export const addSecondFactor = async (shown: AgentBrowser): Promise<{ readonly code: () => string }> => {
  const { secret } = await shown.session.sessions.beginSecondFactor({ body: { current_password: PASSWORD } });
  const totp = new TOTP({ secret: Secret.fromBase32(secret.replaceAll(" ", "")) });
  const code = totp.generate({ timestamp: Date.now() - STEP_MS });
  await shown.session.sessions.confirmSecondFactor({ body: { code } });
  return { code: () => totp.generate() };
};
export const endSession = (shown: AgentBrowser) => shown.session.sessions.endSession();
export const signInAgain = async (shown: Page): Promise<void> => {
  await signInDialog(shown).getByLabel("Password").fill(PASSWORD);
  await signInDialog(shown).getByRole("button", { name: "Sign in" }).click();
  await signInDialog(shown).waitFor({ state: "detached" });
};

/** The service's side of what agents write. */
export const unsavedFixture = (s: ConsoleHarness) => {
  const repliesIn = async (id: string): Promise<readonly string[]> => {
    const { messages } = await s.client.messages.listMessages({ params: { conversation_id: id } });
    return messages
      .filter(({ actor_type }) => actor_type === "agent")
      .map(({ message_parts = [] }) => message_parts.map(({ text }) => text?.content).join());
  };
  /** The drafts of a new session of the agent. @shape email: of the agent */
  const draftsOf = async (id: string, email = NOAH): Promise<readonly string[]> => {
    const reader = await s.visit(email);
    const { drafts } = await reader.session.drafts.listDrafts();
    await reader.close();
    return drafts.filter(({ conversation_id }) => conversation_id === id).map(({ text }) => text);
  };
  const isDraft = (id: string, text: string, email?: string) =>
    eventually(async () => expect(await draftsOf(id, email)).toEqual([text]));
  return {
    repliesIn,
    draftsOf,
    isDraft,
    /** Begins a conversation and opens it. */
    async openNew(name: string, shown: AgentBrowser) {
      const begun = await s.beginConversation(name, `Hello from ${name}`);
      await shown.open(`/console/conversations/${begun.id}`);
      await threadOf(shown.page).getByText(`Hello from ${name}`).waitFor();
      // The draft is read before the field is shown.
      await replyField(shown.page).waitFor();
      return begun;
    },
  };
};
