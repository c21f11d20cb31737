import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { joinDatabase, statement } from "@parley/database";
import { SERVICE_SCHEMA } from "@parley/service";
import { CONVERSATIONS, consoleInbox, type ConsoleInbox } from "./inbox.ts";
import { eventually } from "../support/harness.ts";

/** The views, their numbers, and the list that each shows, compared with what the API says. */

let inbox: ConsoleInbox;

beforeAll(async () => {
  inbox = await consoleInbox();
});
afterAll(() => inbox.s.stop());

describe("the views", () => {
  test("have the numbers of their conversations, and show exactly these", async () => {
    await inbox.agent.open("/console/inbox");
    const primary = [
      ["Mine", ["Ada One", "Bea Two"]],
      ["Mine, unread", ["Ada One", "Bea Two"]],
      ["Unassigned", ["Dan Four", "Eva Five", "Gil Seven"]],
      ["Unassigned, unread", ["Dan Four", "Eva Five", "Gil Seven"]],
      ["All open", ["Ada One", "Bea Two", "Cem Three", "Dan Four", "Eva Five", "Gil Seven"]],
      ["Resolved", ["Fay Six"]],
      ["All", CONVERSATIONS.map(([name]) => name)],
      ["Noah Lindqvist", ["Cem Three"]],
      ["Billing", ["Bea Two", "Cem Three", "Dan Four"]],
      ["High", ["Bea Two"]],
    ] as const;
    for (const [view, names] of primary) {
      const link = inbox.viewLink(view).last();
      await link.click();
      const title = `${view} ${names.length} ${names.length === 1 ? "conversation" : "conversations"}`;
      await inbox.page.getByRole("heading", { level: 1, name: title }).waitFor();
      await eventually(async () =>
        expect((await inbox.shownIds()).toSorted()).toEqual(names.map((name) => inbox.idOf(name)).toSorted()),
      );
      await eventually(async () => expect(await link.innerText()).toMatch(new RegExp(`\\b${names.length}\\b`)));
      await inbox.showsList(inbox.filterOfAddress());
    }
  });

  test("agree with the heading of the list at every moment while a conversation is resolved", async () => {
    const begun = await inbox.s.beginConversation("Rea Resolved", "Done soon");
    await inbox.s.client.conversations.updateConversation({
      params: { conversation_id: begun.id },
      body: { properties: { priority: "Low" } },
    });
    await inbox.agent.open("/console/inbox?agent=none");
    await inbox.rowOf("Rea Resolved").getByRole("link").click();
    const { page } = inbox;
    // The numbers of the views are read again after the change, but not answered.
    await page.route("**/console/api/counts", () => undefined);
    await page.evaluate(() => {
      const numberIn = (element: Element | null | undefined) => /\d+/.exec(element?.textContent ?? "")?.[0];
      const seen = ((globalThis as unknown as { seen: string[] }).seen = [] as string[]);
      const note = () => {
        const heading = numberIn(
          [...document.querySelectorAll("h1")].find((each) => each.textContent?.startsWith("Unassigned")),
        );
        const link = numberIn(document.querySelector("nav[aria-label=Views] a[aria-current]"));
        const text = `${heading} ${link}`;
        if (seen.at(-1) !== text) seen.push(text);
        requestAnimationFrame(note);
      };
      note();
    });
    await page.getByRole("button", { name: "Resolve", exact: true }).click();
    await inbox.rowOf("Rea Resolved").waitFor({ state: "detached" });
    const seenNumbers = () => page.evaluate(() => (globalThis as unknown as { seen: string[] }).seen);
    await eventually(async () => expect(await seenNumbers()).toEqual(["4 4", "3 3"]));
    await page.unrouteAll({ behavior: "ignoreErrors" });
  });

  test("follow changes: numbers and lists change with an assignment elsewhere", async () => {
    await inbox.viewLink("Unassigned").click();
    await inbox.rowOf("Gil Seven").waitFor();
    const change = { status: "assigned" as const, assigned_agent_id: inbox.own };
    await inbox.change("Gil Seven", change);
    await inbox.rowOf("Gil Seven").waitFor({ state: "detached" });
    await eventually(async () => expect(await inbox.viewLink("Unassigned").innerText()).toMatch(/\b2\b/));
    await eventually(async () => expect(await inbox.viewLink("Mine").innerText()).toMatch(/\b3\b/));
    await inbox.change("Gil Seven", { assigned_agent_id: "" });
    await inbox.rowOf("Gil Seven").waitFor();
    await inbox.showsList({ agent: "none" });
  });
});

describe("the list", () => {
  test("shows a new conversation and a new message at their places, without a reload", async () => {
    await inbox.agent.open("/console/inbox");
    await inbox.rowOf("Ada One").waitFor();
    inbox.begun.set(
      "Hal Eight",
      await inbox.s.beginConversation("Hal Eight", "I am new here", inbox.topics.get("Returns")),
    );
    await inbox.rowOf("Hal Eight").getByText("I am new here").waitFor();
    await eventually(async () => expect((await inbox.shownIds())[0]).toBe(inbox.idOf("Hal Eight")));
    await inbox.begun.get("Cem Three")?.write("Is anybody there?");
    await inbox.rowOf("Cem Three").getByText("Is anybody there?").waitFor();
    await eventually(async () =>
      expect((await inbox.shownIds()).slice(0, 2)).toEqual([inbox.idOf("Cem Three"), inbox.idOf("Hal Eight")]),
    );
    await inbox.showsList({});
  });

  test("shows a message that arrived while it was read, and whose event came before the response", async () => {
    await inbox.agent.open("/console/inbox");
    await inbox.rowOf("Bea Two").waitFor();
    // The first reading of the list is answered after the message that it does not contain.
    let isRead = false;
    await inbox.page.route("**/console/api/conversations?*", async (route) => {
      if (isRead) return route.continue();
      isRead = true;
      const response = await route.fetch();
      const isCounted = inbox.page.waitForResponse("**/console/api/counts");
      await inbox.begun.get("Bea Two")?.write("Between reading and showing");
      await isCounted;
      return route.fulfill({ response });
    });
    await inbox.viewLink("Mine").click();
    await inbox.rowOf("Bea Two").getByText("Between reading and showing").waitFor();
    await inbox.page.unrouteAll({ behavior: "wait" });
    await inbox.showsList({ agent: "me" });
  });

  test.each([
    ["Oldest activity first", "oldest_activity"],
    ["Newest first", "newest"],
    ["Oldest first", "oldest"],
    ["Most urgent first", "priority"],
    ["Longest waiting first", "waiting"],
  ] as const)("is sorted: %s, also when a message arrives", async (label, order) => {
    await inbox.agent.open("/console/inbox");
    await inbox.page.getByRole("button", { name: /^Order: / }).click();
    await inbox.page.getByRole("menuitem", { name: label }).click();
    await inbox.page.waitForURL(`**/inbox?order=${order}`);
    await inbox.showsList({}, order);
    const text = `Once more: ${order}`;
    await inbox.begun.get("Eva Five")?.write(text);
    await inbox.rowOf("Eva Five").getByText(text).waitFor();
    await inbox.showsList({}, order);
  });

  test("shows unread messages of a conversation, counts own conversations in the title of the page, and shows and counts no messages after it was read", async () => {
    await inbox.agent.open("/console/inbox?agent=me");
    await inbox.begun.get("Ada One")?.write("Second");
    await eventually(async () => expect(await inbox.rowOf("Ada One").innerText()).toContain("2 unread"));
    await eventually(async () => expect(await inbox.page.title()).toBe("(2) Mine · Inbox · Parley"));
    await inbox.rowOf("Ada One").getByRole("link").click();
    await inbox
      .rowOf("Ada One")
      .getByText(/unread/)
      .waitFor({ state: "detached" });
    await eventually(async () => expect(await inbox.page.title()).toMatch(/^\(1\) Ada One #\d+ · Inbox · Parley$/));
    const params = { conversation_id: inbox.idOf("Ada One") };
    await eventually(async () => expect((await inbox.agent.session.inbox.getInboxItem({ params })).unread).toBe(0));
    await eventually(async () => expect(await inbox.viewLink("Mine, unread").innerText()).toMatch(/\b1\b/));
  });

  test("shows a message that came after the list was read and before the stream of events began", async () => {
    const { page } = inbox;
    const [listed, streamed] = ["conversations?*", "stream"].map((path) =>
      page.waitForResponse(`**/console/api/${path}`),
    );
    let written: Promise<unknown> | undefined;
    await page.route("**/console/api/stream", async (route) => {
      await listed;
      await (written ??= inbox.begun.get("Dan Four")?.write("Between list and stream"));
      await route.continue();
    });
    // The page shows nothing before it has the workspace: the list is shown after the stream has begun.
    await page.route("**/console/api/workspace", async (route) => {
      await streamed;
      await route.continue();
    });
    await inbox.agent.open("/console/inbox?agent=none");
    await inbox.rowOf("Dan Four").getByText("Between list and stream").waitFor();
    await page.unrouteAll({ behavior: "ignoreErrors" });
    await inbox.showsList({ agent: "none" });
  });

  test("shows a message that came before the page was opened, and that the service had not entered into the lists by then", async () => {
    const { dataFolder } = inbox.s;
    const database = await joinDatabase({ dataFolder, url: undefined, log: () => undefined });
    const pool = database.pool(SERVICE_SCHEMA, { max: 1 });
    await pool.transaction(async (tx) => {
      await tx.rows(statement("", "lock table inbox_entries in share mode"), []);
      await inbox.begun.get("Gil Seven")?.write("Entered late");
      let readCount = 0;
      inbox.page.on(
        "response",
        (response) => (readCount += /\/console\/api\/conversations\?/.test(response.url()) ? 1 : 0),
      );
      await inbox.agent.open("/console/inbox");
      // Before the stream of events begins, and after it.
      await eventually(() => Promise.resolve(expect(readCount).toBeGreaterThanOrEqual(2)));
      await inbox.rowOf("Gil Seven").waitFor();
      expect(await inbox.rowOf("Gil Seven").getByText("Entered late").count()).toBe(0);
    });
    await pool.end();
    await database.close();
    await inbox.rowOf("Gil Seven").getByText("Entered late").waitFor();
    await inbox.showsList({});
  });
});
