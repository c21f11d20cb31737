import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { Page } from "playwright-core";
import { unzipSync } from "fflate";
import { accessibilityViolations } from "../../../../packages/framework/test/front/front-fixture.ts";
import { consoleHarness, type AgentBrowser, type ConsoleHarness } from "../../support/harness.ts";

/** The page of raw reports: requested reports become files with the rows of the account. */

let s: ConsoleHarness;
let owner: AgentBrowser;
let page: Page;

beforeAll(async () => {
  s = await consoleHarness();
  owner = await s.visit();
  ({ page } = owner);
  await s.beginConversation("Ada One", "Hello");
});
afterAll(() => s.stop());

const table = () => page.getByRole("table", { name: "Raw reports" });
const rowOf = (name: string) => table().getByRole("row").filter({ hasText: name });
const openPage = async () => {
  await owner.open("/console/admin/raw-reports");
  await page.getByRole("button", { name: "Request report" }).waitFor();
};
const dialog = () => page.getByRole("dialog");
const openForm = async (event?: string) => {
  await page.getByRole("button", { name: "Request report" }).click();
  if (event === undefined) return;
  await dialog()
    .getByRole("button", { name: /Report$/ })
    .click();
  await page.getByRole("option", { name: event, exact: true }).click();
};
const submit = () => dialog().getByRole("button", { name: "Request report" }).click();
const sent = () => owner.requests.filter((request) => request === "POST /v2/reports/raw").length;

test("before the first request the page says what to do, and the quotas and times that hold", async () => {
  await openPage();
  await page.getByText("No raw report is kept").waitFor();
  await page.getByText(/one report in a minute and 120 in 24 hours/).waitFor();
  await page.getByText(/kept for 7 days. The link of a file works for 1 hour/).waitFor();
});

test("a requested report is ready without a reload, and its link downloads the rows until it expires", async () => {
  await openPage();
  await openForm("Messages with their texts");
  await dialog()
    .getByText(/spans 24 hours at most/)
    .waitFor();
  // A minute that has begun ends in the future, which counts as now.
  const end = new Date(Date.now() + 60_000).toISOString().slice(0, 16);
  await dialog().getByLabel("End (UTC)").fill(end);
  await dialog()
    .getByLabel("Start (UTC)")
    .fill(new Date(Date.now() - 3_600_000).toISOString().slice(0, 16));
  await submit();
  await dialog().waitFor({ state: "detached" });
  await rowOf("Messages with their texts").getByText("Ready").waitFor();
  await page.getByRole("button", { name: "Files of Messages with their texts" }).click();
  await dialog()
    .getByText(/The links work until/)
    .waitFor();
  const link = dialog().getByRole("link", { name: /^Download / });
  const [file] = await Promise.all([page.waitForEvent("download"), link.click()]);
  const [rows] = Object.values(unzipSync(await readFile(await file.path())));
  expect(new TextDecoder().decode(rows)).toContain("Hello");
  // Without the session, as the page says.
  expect((await fetch((await link.getAttribute("href")) ?? "")).status).toBe(200);
  await dialog().getByRole("button", { name: "Close" }).last().click();
  await dialog().waitFor({ state: "detached" });
});

test("a report that a program requests appears in the list without a reload", async () => {
  await openPage();
  const end = new Date().toISOString();
  const start = new Date(Date.now() - 3_600_000).toISOString();
  await s.client.reports.createReport({ body: { event: "CSAT-Score", start, end, should_exclude_pii: true } });
  await rowOf("Ratings (CSAT)").getByText("Without data of people").waitFor();
  await rowOf("Ratings (CSAT)").getByText("Ready").waitFor();
});

test("a request over the quota is refused with the time until the next request, and the form stays", async () => {
  await openPage();
  await openForm("Ratings (CSAT)");
  await submit();
  await dialog()
    .getByRole("alert")
    .filter({ hasText: /The next report of CSAT-Score may be asked for in \d+ seconds/ })
    .waitFor();
  await dialog().getByRole("button", { name: "Cancel" }).click();
  expect(await rowOf("Ratings (CSAT)").count()).toBe(1);
  // The browser reports the refused request.
  owner.errors.length = 0;
});

test.each([
  ["End (UTC)", "2001-01-01T00:00", "Start (UTC)", "2001-01-02T00:00", "The start can be 15 months back at most."],
  ["Start (UTC)", "2999-01-01T00:00", "End (UTC)", "2999-01-02T00:00", "The start must be in the past."],
  ["End (UTC)", "", "Start (UTC)", "", "Choose the start."],
])(
  "%s %j with %s %j is refused at the field, and nothing is requested",
  async (one, text, other, otherText, problem) => {
    await openPage();
    const before = sent();
    await openForm();
    await dialog().getByLabel(one).fill(text);
    await dialog().getByLabel(other).fill(otherText);
    await submit();
    await dialog().getByText(problem).waitFor();
    await dialog().getByRole("button", { name: "Cancel" }).click();
    expect(sent()).toBe(before);
  },
);

describe("every form of the page has no accessibility violation and does not scroll sideways:", () => {
  test.each([
    ["wide", { viewport: { width: 1_440, height: 900 } }],
    ["narrow and dark", { viewport: { width: 360, height: 740 }, colorScheme: "dark" as const }],
  ])("%s", async (_, options) => {
    const other = await s.visit(undefined, options);
    await other.open("/console/admin/raw-reports");
    await other.page.getByRole("table", { name: "Raw reports" }).waitFor();
    expect(await accessibilityViolations(other.page)).toEqual([]);
    await other.page
      .getByRole("button", { name: /^Files of/ })
      .first()
      .click();
    await other.page.getByText(/The links work until/).waitFor();
    expect(await accessibilityViolations(other.page)).toEqual([]);
    await other.page.keyboard.press("Escape");
    await other.page.getByRole("button", { name: "Request report" }).click();
    await other.page.getByRole("dialog").getByLabel("Start (UTC)").waitFor();
    expect(await accessibilityViolations(other.page)).toEqual([]);
    expect(other.errors).toEqual([]);
    await other.close();
  });
});

test("the browser reported no errors", () => {
  expect(owner.errors).toEqual([]);
});
