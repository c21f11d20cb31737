import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { Page } from "playwright-core";
import { consoleAccount } from "../../support/account.ts";
import { consoleHarness, eventually, type AgentBrowser, type ConsoleHarness } from "../../support/harness.ts";

/** The pages of the account and of its business hours. */

let s: ConsoleHarness;
let owner: AgentBrowser;
let page: Page;

beforeAll(async () => {
  s = await consoleHarness();
  // With a smaller allowance, blocks of calls are small, too.
  await consoleAccount(s).apply({ calls_per_hour: 20_000 });
  owner = await s.visit();
  ({ page } = owner);
});
afterAll(() => s.stop());

const dialog = () => page.getByRole("dialog");
const openPage = async (name: string, heading: string) => {
  await owner.open(`/console/admin/${name}`);
  await page.getByRole("heading", { name: heading, level: 1 }).waitFor();
};

describe("the account", () => {
  const fact = (label: string) => page.locator("dl > div").filter({ hasText: label }).locator("dd");

  test("shows what the operator decided, as the document has it", async () => {
    const { name, plan_type, datacenter, organisation } = await consoleAccount(s).document();
    const { account_domain } = await s.client.accounts.getConfiguration();
    await openPage("account", "Account");
    expect(await fact("Plan").innerText()).toBe(plan_type);
    expect(await fact("Data centre").innerText()).toBe(datacenter);
    expect(await page.getByText(account_domain, { exact: true }).count()).toBe(1);
    expect(await fact("Domain of the organisation").innerText()).toBe(organisation?.domain);
    expect(await fact("Bundle").innerText()).toBe("Support suite");
    expect(await page.getByRole("definition").first().innerText()).toBe(name);
    await page.getByText("The operator of this installation decides").waitFor();
  });

  test("shows the calls of the hour, and those after them when it is read again", async () => {
    await openPage("account", "Account");
    const numberOf = async (label: string) => Number((await fact(label).innerText()).replaceAll(/\D/g, ""));
    const { calls } = await owner.administration.admin.getAllowance({ params: { account: "acme" } });
    expect(await numberOf("Calls per hour")).toBe(calls.limit);
    const before = await numberOf("Used in this hour");
    // Processes count calls in blocks, which are larger than one call.
    for (let call = 0; call < 100; call += 1) await s.client.channels.listChannels();
    await eventually(async () => {
      await page.getByRole("button", { name: "Read again" }).click();
      expect(await numberOf("Used in this hour")).toBeGreaterThan(before);
    });
    expect(await numberOf("Left")).toBe(calls.limit - (await numberOf("Used in this hour")));
    expect(await fact("The hour ends at").innerText()).toMatch(/^\d\d:\d\d$/);
  });

  test("a language in which a topic has no text is refused at its field; otherwise topics are listed in it", async () => {
    const choose = async (name: string) => {
      await page.getByRole("button", { name: /Primary language/ }).click();
      await page.getByRole("searchbox", { name: "Primary language" }).fill(name);
      await page.getByRole("option", { name }).click();
      await page.getByRole("button", { name: "Save" }).click();
    };
    await openPage("account", "Account");
    await choose("Spanish");
    await page.getByText(/The topic Billing and 3 others have no text in this language/).waitFor();
    expect((await consoleAccount(s).document()).primary_locale).toBe("en");
    const names = ["Billing", "Returns", "Trade customers", "Holiday orders"];
    await consoleAccount(s).apply({
      channels: names.map((name) => ({ name, locales: { es: { name: `${name} (es)` } } })),
    });
    await openPage("account", "Account");
    await choose("Spanish");
    await page.getByText("The primary language is Spanish.").waitFor();
    expect((await s.client.channels.listChannels()).channels.map(({ name }) => name)).toContain("Ventas");
    await consoleAccount(s).apply({ primary_locale: "en" });
  });
});

describe("business hours", () => {
  const row = (name: string) =>
    page.getByRole("row").filter({ has: page.getByRole("rowheader", { name, exact: true }) });
  const day = (name: string) => dialog().getByRole("group", { name, exact: true });
  const save = async (name: string) => {
    await dialog().getByRole("button", { name: "Save" }).click();
    await page.getByText(`Hours saved: ${name}.`).last().waitFor();
    await dialog().waitFor({ state: "detached" });
  };
  const within = async (time: string, group?: string) => {
    const { groups } = await s.client.groups.listGroups({ query: { items_per_page: 100 } });
    const group_id = groups.find(({ name }) => name === group)?.id;
    return s.client.businessHours.getWithinBusinessHours({
      query: { time, ...(group_id !== undefined && { group_id }) },
    });
  };

  test("new hours of a group decide about GET /business-hours/within-bh", async () => {
    await consoleAccount(s).apply({ groups: [{ name: "Night shift" }] });
    await openPage("business-hours", "Business hours");
    await page.getByRole("button", { name: "New business hours" }).click();
    await dialog().getByRole("button", { name: /For$/ }).click();
    await page.getByRole("option", { name: "Night shift" }).click();
    await dialog()
      .getByRole("button", { name: /Time zone/ })
      .click();
    await page.getByRole("searchbox", { name: "Time zone" }).fill("Kolkata");
    await page.getByRole("option", { name: /Kolkata/ }).click();
    await day("Monday").getByRole("textbox", { name: "Monday, hours 1: from" }).fill("22");
    await day("Monday").getByRole("textbox", { name: "Monday, hours 1: to" }).fill("24:00");
    await day("Monday").getByRole("button", { name: "Copy the hours of Monday" }).click();
    await page.getByRole("menuitem", { name: "To all days" }).click();
    await day("Sunday").getByRole("button", { name: "Remove hours 1 on Sunday" }).click();
    await day("Tuesday").getByRole("button", { name: "Add hours on Tuesday" }).click();
    await day("Tuesday").getByRole("textbox", { name: "Tuesday, hours 2: from" }).fill("1:30");
    await day("Tuesday").getByRole("textbox", { name: "Tuesday, hours 2: to" }).fill("2:00");
    await dialog().getByLabel("Day", { exact: true }).fill("2026-12-25");
    await dialog().getByRole("button", { name: "Add the day" }).click();
    await save("Night shift");
    // India is 5 hours 30 minutes ahead of UTC. 7 December 2026 is a Monday.
    const isOpen = async (time: string) => (await within(time, "Night shift")).within_business_hours;
    expect(await isOpen("2026-12-07T17:00:00.000Z")).toBe(true);
    expect(await isOpen("2026-12-07T16:00:00.000Z")).toBe(false);
    expect(await isOpen("2026-12-07T20:15:00.000Z")).toBe(true);
    expect(await isOpen("2026-12-13T17:00:00.000Z")).toBe(false);
    expect(await isOpen("2026-12-25T17:00:00.000Z")).toBe(false);
    await row("Night shift").getByText("Tuesday: 01:30–02:00, 22:00–24:00").waitFor();
    await row("Night shift").getByText("Wednesday – Saturday: 22:00–24:00").waitFor();
    const { business_hours: exported = [] } = await consoleAccount(s).document();
    expect(exported.find(({ group }) => group === "Night shift")).toMatchObject({ holidays: ["2026-12-25"] });
  });

  test("hours that parley account apply writes are in the form, and overlapping hours are refused at their day", async () => {
    await consoleAccount(s).apply({
      business_hours: [{ timezone: "Europe/Berlin", week: { friday: [{ from: "08:00", to: "12:00" }] } }],
    });
    await openPage("business-hours", "Business hours");
    await row("The account").getByText("Friday: 08:00–12:00").waitFor();
    await page.getByRole("button", { name: "Change hours: The account" }).click();
    await day("Friday").getByRole("button", { name: "Add hours on Friday" }).click();
    await day("Friday").getByRole("textbox", { name: "Friday, hours 2: from" }).fill("11:00");
    await dialog().getByRole("button", { name: "Save" }).click();
    await day("Friday").getByText("The hours of a day must not overlap.").waitFor();
    await day("Friday").getByRole("textbox", { name: "Friday, hours 2: to" }).fill("late");
    await day("Friday").getByText("Enter times such as 9:30").waitFor();
    expect((await within("2026-12-04T13:00:00.000Z")).within_business_hours).toBe(false);
    await day("Friday").getByRole("textbox", { name: "Friday, hours 2: from" }).fill("13");
    await day("Friday").getByRole("textbox", { name: "Friday, hours 2: to" }).fill("18");
    await save("The account");
    expect((await within("2026-12-04T13:00:00.000Z")).within_business_hours).toBe(true);
  });

  test("deleted hours of a group give way to those of the account", async () => {
    await openPage("business-hours", "Business hours");
    expect((await within("2026-12-04T13:00:00.000Z", "Night shift")).timezone).not.toBe("Europe/Berlin");
    await page.getByRole("button", { name: "Delete hours: Night shift" }).click();
    await page.getByRole("alertdialog").getByRole("button", { name: "Delete hours: Night shift" }).click();
    await row("Night shift").waitFor({ state: "detached" });
    expect(await within("2026-12-04T13:00:00.000Z", "Night shift")).toMatchObject({
      timezone: "Europe/Berlin",
      within_business_hours: true,
    });
  });
});

test("an admin changes what the account admin does", async () => {
  const { email } = await consoleAccount(s).agent({ name: "Ada Admin", role: "ADMIN" });
  const admin = await s.visit(email);
  await admin.open("/console/admin/topics");
  await admin.page.getByRole("button", { name: "Change Sales" }).click();
  await admin.page.getByRole("textbox", { name: "New tag" }).fill("by-an-admin");
  await admin.page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
  await admin.page.getByText("Sales saved.").waitFor();
  const { channels } = await s.client.channels.listChannels();
  expect(channels.find(({ name }) => name === "Sales")?.tags).toEqual(["by-an-admin"]);
  await admin.close();
});

test("the browser reported no errors", () => {
  expect(owner.errors).toEqual([]);
});
