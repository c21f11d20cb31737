import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import type { Page } from "playwright-core";

import { consoleHarness, eventually, type AgentBrowser, type ConsoleHarness } from "../support/harness.ts";
import {
  addSecondFactor,
  chooseMode,
  endSession,
  expectText,
  NOAH,
  noteField,
  PASSWORD,
  replyField,
  setPassword,
  signInAgain,
  signInDialog,
  threadOf,
  unsavedFixture,
} from "../support/unsaved.ts";

/** Nothing that an agent typed is lost when the session ends, and nothing of it is left when the agent signs out. */

const WRONG_PASSWORD = "The e-mail address or the password is wrong.";

let s: ConsoleHarness;
let service: ReturnType<typeof unsavedFixture>;
let agent: AgentBrowser;
let page: Page;
beforeAll(async () => {
  s = await consoleHarness();
  service = unsavedFixture(s);
});
beforeEach(async () => {
  agent = await s.visit(NOAH);
  ({ page } = agent);
});
afterEach(() => agent.context.close());
afterAll(() => s.stop());

describe("the session ends while the agent writes", () => {
  test("the page stays with the text, and saves it after the sign-in above it", async () => {
    await setPassword(agent);
    const { id } = await service.openNew("Ella Ended", agent);
    await replyField(page).fill("Saved before");
    await endSession(agent);
    await replyField(page).fill("Saved before, and typed after");
    await signInDialog(page).waitFor();
    expect(new URL(page.url()).pathname).toBe(`/console/conversations/${id}`);
    await signInDialog(page).getByLabel("Password").fill("not the password");
    await signInDialog(page).getByRole("button", { name: "Sign in" }).click();
    await signInDialog(page).getByText(WRONG_PASSWORD).waitFor();
    await eventually(async () =>
      expect(
        await signInDialog(page)
          .getByLabel("Password")
          .evaluate((field) => field === document.activeElement),
      ).toBe(true),
    );
    await signInAgain(page);
    expect(await replyField(page).inputValue()).toBe("Saved before, and typed after");
    await service.isDraft(id, "Saved before, and typed after");
    // Events arrive again.
    await s.client.messages.createMessage({
      params: { conversation_id: id },
      body: { actor_type: "bot", message_parts: [{ text: { content: "After the sign-in" } }] },
    });
    await threadOf(page).getByText("After the sign-in").waitFor();
  });

  test("keys that are pressed at that moment go on into the text, and the sign-in waits for a pause", async () => {
    await service.openNew("Kim Keys", agent);
    await agent.context.clearCookies();
    const isRefused = page.waitForResponse((reply) => reply.status() === 401).then(() => true);
    let typed = "";
    // The refusal comes a second after a pause: the draft is saved then.
    await replyField(page).pressSequentially((typed += "Typed before. "));
    await isRefused;
    await replyField(page).focus();
    for (const word of ["And", " after", " the", " session", " had", " ended."]) {
      await page.keyboard.type(word);
      typed += word;
    }
    expect(await replyField(page).inputValue()).toBe(typed);
    await signInDialog(page).waitFor();
    expect(await signInDialog(page).getByLabel("Password").inputValue()).toBe("");
  });

  test("the reply that was sent at that moment is sent once after the sign-in", async () => {
    await setPassword(agent);
    const { id } = await service.openNew("Sara Sent", agent);
    await agent.context.clearCookies();
    await replyField(page).fill("On its way");
    await replyField(page).press("Control+Enter");
    await signInDialog(page).waitFor();
    expect(await service.repliesIn(id)).toEqual([]);
    await signInAgain(page);
    await eventually(async () => expect(await service.repliesIn(id)).toEqual(["On its way"]));
    await threadOf(page).getByText("Sending…").waitFor({ state: "detached" });
    expect(await threadOf(page).getByText("On its way", { exact: true }).count()).toBe(1);
    expect(await replyField(page).inputValue()).toBe("");
  });

  test("the sign-in above the page asks for the second factor of an agent who has a second factor", async () => {
    await setPassword(agent);
    const { id } = await service.openNew("Fenja Factor", agent);
    const { agent: own } = await agent.session.workspace.getWorkspace();
    const factor = await addSecondFactor(agent);
    try {
      await replyField(page).fill("Saved before");
      await agent.context.clearCookies();
      await replyField(page).fill("Typed after");
      await replyField(page).press("Control+Enter");
      const dialog = signInDialog(page);
      await dialog.getByLabel("Password").fill(PASSWORD);
      await dialog.getByRole("button", { name: "Sign in" }).click();
      const code = dialog.getByLabel("Code");
      await code.fill("000000");
      await dialog.getByRole("button", { name: "Sign in" }).click();
      await dialog.getByText("The code is wrong, expired or was used before.").waitFor();
      expect(await service.repliesIn(id)).toEqual([]);
      await code.fill(factor.code());
      await dialog.getByRole("button", { name: "Sign in" }).click();
      await dialog.waitFor({ state: "detached" });
      await eventually(async () => expect(await service.repliesIn(id)).toEqual(["Typed after"]));
    } finally {
      await s.administer("DELETE", `/admin/accounts/acme/agents/${own.agent_id}/second-factor`);
    }
  });

  test("a sign-in in another tab continues the page, too", async () => {
    const { id } = await service.openNew("Tom Tab", agent);
    await agent.context.clearCookies();
    await replyField(page).fill("Typed in the first tab");
    await signInDialog(page).waitFor();
    const other = await agent.context.newPage();
    await other.goto(await s.signInLink(NOAH));
    await other.getByRole("button", { name: "Sign in" }).click();
    await signInDialog(page).waitFor({ state: "detached" });
    expect(await replyField(page).inputValue()).toBe("Typed in the first tab");
    await service.isDraft(id, "Typed in the first tab");
  });

  test("another agent who signs in neither sees nor sends it, and the first one finds it again", async () => {
    const { id } = await service.openNew("Olga Other", agent);
    await chooseMode(page, "Private note");
    await noteField(page).fill("Noah's note");
    await agent.context.clearCookies();
    await chooseMode(page, "Reply");
    await replyField(page).fill("Noah's reply");
    await replyField(page).press("Control+Enter");
    await replyField(page).fill("Noah's draft");
    await signInDialog(page).waitFor();

    const other = await agent.context.newPage();
    await other.goto(await s.signInLink());
    await other.getByRole("button", { name: "Sign in" }).click();
    await other.waitForURL("**/console/**");
    // Noah's page becomes hers.
    await threadOf(page).getByText("Hello from Olga Other").waitFor();
    await page.getByRole("button", { name: /^Your account: Olivia/ }).waitFor();
    await threadOf(page).getByText("Hello from Olga Other").waitFor();
    expect(await replyField(page).inputValue()).toBe("");
    expect(await page.getByText("Noah's", { exact: false }).count()).toBe(0);
    expect(await service.repliesIn(id)).toEqual([]);
    expect(await service.draftsOf(id, "olivia@acme.example")).toEqual([]);

    await other.goto(await s.signInLink(NOAH));
    await other.getByRole("button", { name: "Sign in" }).click();
    await other.waitForURL("**/console/**");
    await eventually(async () => expect(await service.repliesIn(id)).toEqual(["Noah's reply"]));
    await other.goto(`${s.origin}/console/conversations/${id}`);
    await expectText(replyField(other), "Noah's draft");
    await chooseMode(other, "Private note");
    await expectText(noteField(other), "Noah's note");
  });

  test("an open dialog keeps the entered values, and saves them after the sign-in", async () => {
    agent = await s.visit();
    ({ page } = agent);
    await setPassword(agent);
    await agent.open("/console/admin/groups");
    await page.getByRole("button", { name: "New group" }).click();
    await page.getByRole("textbox", { name: "Name" }).fill("Evening shift");
    await page.getByRole("textbox", { name: "Description" }).fill("From six to ten");
    await endSession(agent);
    await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
    await signInAgain(page);
    await page.getByRole("dialog").waitFor({ state: "detached" });
    const { groups } = await s.client.groups.listGroups({ query: { items_per_page: 100 } });
    expect(groups).toContainEqual(expect.objectContaining({ name: "Evening shift", description: "From six to ten" }));
  });
});

describe("signing out", () => {
  const signOut = async (): Promise<void> => {
    await page.getByRole("button", { name: /^Your account/ }).click();
    await page.getByRole("menuitem", { name: "Sign out" }).click();
  };
  const keptText = () => page.evaluate(() => JSON.stringify(localStorage));

  test("saves drafts, and leaves no draft in the browser", async () => {
    const { id } = await service.openNew("Sid Signed", agent);
    await replyField(page).fill("Typed just now");
    await signOut();
    await page.waitForURL("**/sign-in");
    expect(await keptText()).not.toContain("Typed just now");
    await service.isDraft(id, "Typed just now");
  });

  test("asks before what can't be saved is deleted", async () => {
    const { id } = await service.openNew("Una Unsent", agent);
    await page.route("**/v2/conversations/*/messages", (route) =>
      route.fulfill({ status: 400, json: { code: 400, status: "INVALID_ACTOR", message: "You may not write here." } }),
    );
    await replyField(page).fill("Was never sent");
    await replyField(page).press("Control+Enter");
    await threadOf(page).getByText("Not sent: You may not write here.").waitFor();
    await signOut();
    const question = page.getByRole("alertdialog", { name: "Some of what you wrote is not saved" });
    await question.getByRole("button", { name: "Cancel" }).click();
    expect(await keptText()).toContain("Was never sent");
    await signOut();
    await question.getByRole("button", { name: "Delete and sign out" }).click();
    await page.waitForURL("**/sign-in");
    expect(await keptText()).not.toContain("Was never sent");
    expect(await service.repliesIn(id)).toEqual([]);
  });
});
