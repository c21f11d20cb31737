import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { AccountDocument } from "@parley/contract";
import type { Page } from "playwright-core";
import { consoleAccount, type ConsoleAccount } from "../support/account.ts";
import { consoleHarness, eventually, type AgentBrowser, type ConsoleHarness } from "../support/harness.ts";

/** A document is applied while the page of a setting is open: neither change is lost, and the page shows what there is. */

let s: ConsoleHarness;
let account: ConsoleAccount;
let owner: AgentBrowser;
let page: Page;

type Parts = Omit<AccountDocument, "name">;

const week = { monday: [{ from: "09:00", to: "17:00" }] };
const template = (status: "approved" | "pending", body: string): Parts => ({
  templates: [{ namespace: "acme", name: "both", language: "en", status, body: { text: body } }],
});
const hours = (timezone: string, holidays: string[]): Parts => ({ business_hours: [{ timezone, week, holidays }] });

interface Section {
  readonly path: string;
  readonly begin: Parts;
  readonly open: string;
  /** The field that the page changes, and a text for it. */
  readonly field: string;
  readonly entered: string;
  /** Changes another member. */
  readonly other: Parts;
  /** Changes the member that the page changes. */
  readonly same: Parts;
  /** The field as the page shows it after `same`. */
  readonly shown: string;
  /** Name of the field in the message about both changes. */
  readonly label: string;
  /** -> the member that the page changes, and the other member */
  readonly read: (document: AccountDocument) => readonly unknown[];
}

const SECTIONS: readonly (readonly [string, Section])[] = [
  [
    "a topic",
    {
      path: "topics",
      begin: {
        channels: [{ name: "Both", welcome_message: { message_parts: [{ text: { content: "Hi" } }] }, tags: [] }],
      },
      open: "Change Both",
      field: "Welcome message",
      entered: "Good day",
      other: { channels: [{ name: "Both", tags: ["spare parts"] }] },
      same: { channels: [{ name: "Both", welcome_message: { message_parts: [{ text: { content: "Hello" } }] } }] },
      shown: "Hello",
      label: "English: Welcome message",
      read: ({ channels = [] }) => {
        const { welcome_message: welcome, tags } = channels.find(({ name }) => name === "Both") ?? {};
        return [welcome?.message_parts[0]?.text?.content, tags?.[0]];
      },
    },
  ],
  [
    "a group",
    {
      path: "groups",
      begin: { groups: [{ name: "Both", description: "a", routing_type: "DISABLED" }] },
      open: "Change Both",
      field: "Description",
      entered: "entered",
      other: { groups: [{ name: "Both", org_id: "spare parts" }] },
      same: { groups: [{ name: "Both", description: "applied" }] },
      shown: "applied",
      label: "Description",
      read: ({ groups = [] }) => {
        const { description, org_id } = groups.find(({ name }) => name === "Both") ?? {};
        return [description, org_id];
      },
    },
  ],
  [
    "a property",
    {
      path: "fields",
      begin: { fields: [{ name: "cf_both", label: "Both", required: false }] },
      open: "Change Both",
      field: "Label",
      entered: "entered",
      other: { fields: [{ name: "cf_both", required: true }] },
      same: { fields: [{ name: "cf_both", label: "applied" }] },
      shown: "applied",
      label: "Label",
      read: ({ fields = [] }) => {
        const { label, required } = fields.find(({ name }) => name === "cf_both") ?? {};
        return [label, required === true ? "spare parts" : undefined];
      },
    },
  ],
  [
    "an outbound template",
    {
      path: "outbound-templates",
      begin: template("pending", "a"),
      open: "Change both (en)",
      field: "Text",
      entered: "entered",
      other: template("approved", "a"),
      same: template("approved", "applied"),
      shown: "applied",
      label: "Text",
      read: ({ templates = [] }) => {
        const found = templates.find(({ name }) => name === "both");
        return [found?.body.text, found?.status === "approved" ? "spare parts" : undefined];
      },
    },
  ],
  [
    "business hours",
    {
      path: "business-hours",
      begin: hours("UTC", []),
      open: "Change hours: The account",
      field: "Monday, hours 1: from",
      entered: "07:00",
      other: hours("UTC", ["2026-12-25"]),
      same: {
        business_hours: [
          { timezone: "UTC", week: { monday: [{ from: "06:00", to: "17:00" }] }, holidays: ["2026-12-25"] },
        ],
      },
      shown: "06:00",
      label: "Open",
      read: ({ business_hours: list = [] }) => {
        const found = list.find(({ group }) => group === undefined);
        return [found?.week.monday?.[0]?.from, found?.holidays?.length === 1 ? "spare parts" : undefined];
      },
    },
  ],
  [
    "a role",
    {
      path: "roles",
      begin: { roles: [{ name: "Both", description: "a" }] },
      open: "Change Both",
      field: "Description",
      entered: "entered",
      other: { statuses: [{ name: "spare parts" }] },
      same: { roles: [{ name: "Both", description: "applied" }] },
      shown: "applied",
      label: "Description",
      read: ({ roles = [], statuses = [] }) => [
        roles.find(({ name }) => name === "Both")?.description,
        statuses.find(({ name }) => name === "spare parts")?.name,
      ],
    },
  ],
];

beforeAll(async () => {
  s = await consoleHarness();
  account = consoleAccount(s);
  for (const [, { begin }] of SECTIONS) await account.apply(begin);
  await account.apply({ statuses: [{ name: "Lunch", availability_status: "UNAVAILABLE" }] });
  owner = await s.visit();
  ({ page } = owner);
});
afterAll(() => s.stop());

const dialog = () => page.getByRole("dialog");
const field = (name: string) => dialog().getByRole("textbox", { name, exact: true });
const openDialog = async ({ path, open }: Pick<Section, "path" | "open">) => {
  await owner.open(`/console/admin/${path}`);
  await page.getByRole("button", { name: open, exact: true }).click();
  await dialog().waitFor();
};
const pressSave = () => dialog().getByRole("button", { name: "Save" }).click();
const saved = () => dialog().waitFor({ state: "detached" });
const read = async ({ read: members }: Pick<Section, "read">) =>
  members(await owner.administration.admin.getAccount({ params: { account: "acme" } }));
/** Leaves the window for another window beside it, and comes back. */
const returnToWindow = () => page.evaluate("window.dispatchEvent(new Event('focus'))");

describe.each(SECTIONS)("%s", (_name, section) => {
  test("changed by page and document in different members has both changes", async () => {
    await openDialog(section);
    await field(section.field).fill(section.entered);
    await account.apply(section.other);
    await pressSave();
    await saved();
    expect(await read(section)).toEqual([section.entered, "spare parts"]);
  });

  test("changed by both in the same member keeps the document's until the agent saves again, knowing of it", async () => {
    await account.apply(section.begin);
    await openDialog(section);
    await field(section.field).fill(section.entered);
    await account.apply(section.same);
    await pressSave();
    await dialog().getByText(`Somebody has changed this in the meantime: ${section.label}.`).waitFor();
    expect((await read(section))[0]).toBe(section.shown);
    await pressSave();
    await saved();
    expect((await read(section))[0]).toBe(section.entered);
  });

  test("shows the present value when the dialog opens, and when the agent comes back to it", async () => {
    await account.apply(section.begin);
    await owner.open(`/console/admin/${section.path}`);
    const button = page.getByRole("button", { name: section.open, exact: true });
    await button.waitFor();
    await account.apply(section.same);
    await button.click();
    await expect(field(section.field).inputValue()).resolves.toBe(section.shown);
    await account.apply(section.begin);
    await returnToWindow();
    await eventually(async () => expect(await field(section.field).inputValue()).not.toBe(section.shown));
    await page.keyboard.press("Escape");
    await saved();
  });
});

test("a status that a document renamed keeps its new name when the page changes its availability", async () => {
  await openDialog({ path: "roles", open: "Change Lunch" });
  await dialog()
    .getByRole("button", { name: /Availability/ })
    .click();
  await page.getByRole("option", { name: "Available", exact: true }).click();
  const { statuses = [] } = await consoleAccount(s).document();
  const { id = "" } = statuses.find(({ name }) => name === "Lunch") ?? {};
  await consoleAccount(s).apply({ statuses: [{ id, name: "Break" }] });
  await pressSave();
  await saved();
  const after = (await consoleAccount(s).document()).statuses ?? [];
  expect(after.find((each) => each.id === id)).toEqual({ id, name: "Break", availability_status: "AVAILABLE" });
});

test("the primary language shows what a document chose when the agent comes back to the page", async () => {
  const names = ((await consoleAccount(s).document()).channels ?? []).map(({ name }) => name);
  await account.apply({ channels: names.map((name) => ({ name, locales: { es: { name: `${name} (es)` } } })) });
  await owner.open("/console/admin/account");
  await page.getByRole("button", { name: /Primary language.*English/ }).waitFor();
  await consoleAccount(s).apply({ primary_locale: "es" });
  await returnToWindow();
  await page.getByRole("button", { name: /Primary language.*Spanish/ }).waitFor();
  await account.apply({ primary_locale: "en" });
});

test("a new entry does not replace one of the same name that a document made meanwhile", async () => {
  await owner.open("/console/admin/groups");
  await page.getByRole("button", { name: "New group" }).click();
  await field("Name").fill("Simultaneous");
  await field("Description").fill("entered");
  await account.apply({ groups: [{ name: "Simultaneous", description: "applied" }] });
  await pressSave();
  await dialog().getByRole("alert").waitFor();
  const { groups = [] } = await consoleAccount(s).document();
  expect(groups.find(({ name }) => name === "Simultaneous")?.description).toBe("applied");
});

test("an entry that was removed meanwhile is not made again", async () => {
  await account.apply({ groups: [{ name: "Passing" }] });
  await openDialog({ path: "groups", open: "Change Passing" });
  await field("Description").fill("entered");
  await account.apply({ remove: { groups: ["Passing"] } });
  await pressSave();
  await dialog().getByText("Somebody has deleted this in the meantime.").waitFor();
  const { groups = [] } = await consoleAccount(s).document();
  expect(groups.some(({ name }) => name === "Passing")).toBe(false);
});
