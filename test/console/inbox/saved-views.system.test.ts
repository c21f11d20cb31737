import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { consoleInbox, type ConsoleInbox } from "./inbox.ts";
import { eventually } from "../support/harness.ts";

/** Filters of the list, and views that agents save. */

let inbox: ConsoleInbox;

beforeAll(async () => {
  inbox = await consoleInbox();
});
afterAll(() => inbox.s.stop());

describe("filters and saved views", () => {
  test("a filter is in the address, lists what matches, and its parts can be removed", async () => {
    await inbox.agent.open("/console/inbox");
    await inbox.page.getByRole("button", { name: "Filter" }).click();
    const form = inbox.page.getByRole("dialog", { name: "Filter" });
    for (const [field, choice] of [
      ["Agent", "Nobody"],
      ["Topic", "Billing"],
    ] as const) {
      await form.getByRole("button", { name: new RegExp(`${field}$`) }).click();
      await inbox.page.getByRole("option", { name: choice, exact: true }).click();
    }
    await form.getByRole("button", { name: "Close" }).click();
    await inbox.showsList({ agent: "none", channel: inbox.topics.get("Billing") ?? "" });
    expect(await inbox.shownIds()).toEqual([inbox.idOf("Dan Four")]);
    await inbox.page.reload();
    await eventually(async () => expect(await inbox.shownIds()).toEqual([inbox.idOf("Dan Four")]));
    await inbox.page.getByRole("list", { name: "Filters" }).getByRole("button").first().click();
    await eventually(async () => expect((await inbox.shownIds()).length).toBeGreaterThan(1));
    await inbox.showsList(inbox.filterOfAddress());
  });

  test("a view is saved, opened by its address, renamed and deleted", async () => {
    const saved = async () => (await inbox.agent.session.savedViews.listViews()).views;
    await inbox.agent.open(`/console/inbox?agent=none&channel=${inbox.topics.get("Billing")}&order=oldest`);
    await inbox.page.getByRole("button", { name: "Save as a view" }).click();
    const dialog = inbox.page.getByRole("dialog", { name: "Save as a view" });
    await dialog.getByRole("textbox", { name: "Name" }).fill("Unpaid");
    await dialog.getByRole("button", { name: "Save" }).click();
    await inbox.page.getByRole("heading", { level: 1, name: /^Unpaid 1/ }).waitFor();
    const [view] = await saved();
    expect(view).toMatchObject({ name: "Unpaid", order: "oldest", is_shared: false, owner_id: inbox.own });
    const address = await inbox.viewLink("Unpaid").getAttribute("href");

    const other = await inbox.s.visit();
    await other.open(address ?? "");
    await other.page.getByRole("heading", { level: 1, name: /^Unpaid 1/ }).waitFor();
    await other.page.getByRole("grid").getByRole("row").filter({ hasText: "Dan Four" }).waitFor();

    await inbox.page.getByRole("button", { name: "Actions of the view Unpaid" }).click();
    await inbox.page.getByRole("menuitem", { name: "Rename the view" }).click();
    const renaming = inbox.page.getByRole("dialog", { name: "Rename the view" });
    await renaming.getByRole("textbox", { name: "Name" }).fill("Unpaid bills");
    await renaming.getByRole("button", { name: "Save" }).click();
    await inbox.viewLink("Unpaid bills").waitFor();
    // On another device of the agent too.
    await other.page.getByRole("link", { name: "Unpaid bills" }).waitFor();
    await inbox.page.getByRole("button", { name: "Actions of the view Unpaid bills" }).click();
    await inbox.page.getByRole("menuitem", { name: "Delete" }).click();
    await inbox.viewLink("Unpaid bills").waitFor({ state: "detached" });
    await other.page.getByRole("link", { name: "Unpaid bills" }).waitFor({ state: "detached" });
    expect(await saved()).toEqual([]);
    expect(other.errors).toEqual([]);
    await other.close();
  });
});
