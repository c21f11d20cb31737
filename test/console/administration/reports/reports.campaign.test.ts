import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { MetricHistory } from "@parley/contract";
import type { Page } from "playwright-core";
import { accessibilityViolations } from "../../../../packages/framework/test/front/front-fixture.ts";
import { consoleAccount, type ConsoleAccount } from "../../support/account.ts";
import { consoleHarness, eventually, type AgentBrowser, type ConsoleHarness } from "../../support/harness.ts";
import { CHARTS, chartOf, downloadedFigure, recordsOf, tableOf } from "./report-figures.ts";

/** The page of reports: its charts, tables and files on conversations that the test begins, answers, resolves and rates. */

let s: ConsoleHarness;
let account: ConsoleAccount;
let owner: AgentBrowser;
let page: Page;
let agentId: string;
let groupId: string;

const TEXT = (content: string) => [{ text: { content } }];

/** A conversation that is answered, resolved and rated. */
const conversation = async (name: string, rating: number, group?: string) => {
  const { id } = await s.beginConversation(name, "Hello");
  const byGroup = group !== undefined && { assigned_group_id: group };
  await account.change(id, { status: "assigned", assigned_agent_id: agentId, ...byGroup });
  await account.say(id, { actor_type: "agent", actor_id: agentId, message_parts: TEXT("How can I help?") });
  await account.change(id, { status: "resolved" });
  await s.client.csat.createCsat({ params: { conversation_id: id }, body: { issue_resolved: true, rating } });
};

beforeAll(async () => {
  s = await consoleHarness();
  account = consoleAccount(s);
  owner = await s.visit();
  ({ page } = owner);
  // Spreadsheets would evaluate the name of the second group.
  await account.apply({ groups: [{ name: "Blue team" }, { name: "=1+1" }] });
  groupId = await account.group("Blue team");
  const otherId = await account.group("=1+1");
  agentId = (await account.agent({ name: "Max Member", groups: [groupId, otherId] })).id;
  await conversation("Ada One", 5, groupId);
  await conversation("Bea Two", 2, otherId);
  await conversation("Cem Three", 4);
  await s.beginConversation("Dan Four", "Anybody here?");
});
afterAll(() => s.stop());

const DAY_MS = 86_400_000;
/** That of the demo's business hours: the days of the reports begin at its midnight. */
const ZONE = "America/New_York";
const midnightOf = (date: string): Date => {
  const noon = new Date(`${date}T12:00:00Z`);
  const [offset = ""] =
    /[+-]\d\d:\d\d/.exec(new Intl.DateTimeFormat("en", { timeZone: ZONE, timeZoneName: "longOffset" }).format(noon)) ??
    [];
  return new Date(`${date}T00:00:00${offset}`);
};
/** The date in the reports' time zone, in which a day may end hours after it has ended in UTC. */
const day = (back: number): string =>
  new Intl.DateTimeFormat("sv", { timeZone: ZONE }).format(new Date(Date.now() - back * DAY_MS));
/** Dates that the test and the page both know exactly: yesterday, today and tomorrow, in case the day ends meanwhile. */
const dates = () => ({ from: day(1), to: day(-1) });
const addressOf = (query: Readonly<Record<string, string>>): string =>
  `/console/admin/reports?${new URLSearchParams({ span: "custom", ...dates(), ...query })}`;
const openReport = async (query: Readonly<Record<string, string>> = {}) => {
  await owner.open(addressOf(query));
  await page.getByRole("heading", { level: 3 }).first().waitFor();
};

/** What the API sends to a program for the same days. */
const histories = async (query: object = {}): Promise<MetricHistory[]> => {
  const { from, to } = dates();
  const [start, end] = [midnightOf(from), midnightOf(new Date(Date.parse(to) + DAY_MS).toISOString().slice(0, 10))];
  const common = {
    start: start.toISOString(),
    end: end.toISOString(),
    interval: "1d" as const,
    timezone: ZONE,
    ...query,
  };
  return Promise.all([
    s.client.metrics.getHistoricalMetric({ query: { ...common, metric: "conversation_metrics" } }),
    s.client.metrics.getHistoricalMetric({ query: { ...common, metric: "team_performance" } }),
    owner.session.metricPages.getRatingHistory({ query: common }),
  ]);
};

describe("each chart, its table and its file have exactly the numbers of the API:", () => {
  beforeAll(() => openReport());

  test.each(CHARTS)("%s", async (title, metrics) => {
    const records = recordsOf(await histories(), metrics);
    expect(records.flatMap(([, , ...values]) => values).some((value) => value !== "" && value !== "0")).toBe(true);
    const { header, records: downloaded, name } = await downloadedFigure(page, title);
    expect(downloaded).toEqual(records);
    expect(header.slice(0, 2)).toEqual([`Start (${ZONE})`, `End (${ZONE})`]);
    expect(name).toMatch(/^[a-z_]+_\d{4}-\d\d-\d\d_\d{4}-\d\d-\d\d\.csv$/);
    const values = records.map(([, , ...rest]) => rest);
    // Screen readers have the table while the chart is shown.
    expect((await tableOf(page, title)).records).toEqual(values);
    await page.getByRole("button", { name: `Show ${title} as a table` }).click();
    await page.getByRole("region", { name: `Table: ${title}` }).waitFor();
    expect((await tableOf(page, title)).records).toEqual(values);
    await page.getByRole("button", { name: `Show ${title} as a chart` }).click();
    await page.getByRole("slider", { name: `Interval in the chart ${title}` }).waitFor();
  });
});

describe("a choice of the page changes the numbers as it changes those of the API:", () => {
  const numbersOf = async (title: string, metrics: readonly string[], query: object) => {
    const records = recordsOf(await histories(query), metrics);
    // The report before the choice may still be shown.
    await eventually(async () => expect((await downloadedFigure(page, title)).records).toEqual(records));
    return records.map(([, , ...values]) => values);
  };
  const choose = async (label: string, option: string) => {
    await page.getByRole("button", { name: new RegExp(`${label}$`) }).click();
    await page.getByRole("option", { name: option, exact: true }).click();
    await page.getByRole("heading", { level: 3 }).first().waitFor();
  };

  test("a group counts only its conversations", async () => {
    await openReport();
    await choose("Group", "Blue team");
    const filter = { filter_by: `group:${groupId}` };
    const values = await numbersOf("Conversations", CHARTS[0]?.[1] ?? [], filter);
    // It had no group yet when it began.
    expect(values).toContainEqual(["0", "1", "1"]);
  });

  test("an interval of an hour shows each hour", async () => {
    await openReport();
    await choose("Interval", "By hour");
    expect(await numbersOf("Ratings", ["csat.ratings"], { interval: "1h" })).toHaveLength(72);
  });

  test("durations are summarized as chosen", async () => {
    await openReport();
    await choose("Durations", "Longest");
    const metrics = ["team_performance.first_response_time"];
    const longest = await numbersOf("First response time", metrics, { aggregator: "max" });
    expect(longest).not.toEqual(recordsOf(await histories(), metrics).map(([, , ...values]) => values));
  });

  test("groups are compared in columns with their names, and a name is not a formula in the file", async () => {
    await openReport();
    await choose("Compare", "By group");
    const metric = "conversation_metrics.resolved_interactions";
    await numbersOf("Resolved conversations", [metric], { group_by: "group" });
    const shown = await tableOf(page, "Resolved conversations");
    expect([...shown.header.slice(1)].sort()).toEqual(["=1+1", "Blue team", "No group"]);
    const { header } = await downloadedFigure(page, "Resolved conversations");
    expect(header).toContain("'=1+1: Resolved conversations");
    expect(page.url()).toContain("grouping=group");
    await page.reload();
    await chartOf(page, "Resolved conversations").waitFor();
  });
});

test("the present numbers are those of the API, and follow a new conversation without a reload", async () => {
  await openReport();
  const number = (name: string) =>
    page
      .getByRole("region", { name: "Now" })
      .locator("div", { has: page.getByRole("term").filter({ hasText: name }) })
      .getByRole("definition");
  const now = async (metric: "conversation_metrics.open" | "conversation_metrics.unassigned") =>
    (await s.client.metrics.getInstantMetric({ query: { metric } })).data[0]?.values[0]?.value ?? "";
  const before = await now("conversation_metrics.open");
  await eventually(async () => expect(await number("Open conversations").last().textContent()).toBe(before));
  await s.beginConversation("Eva Five", "One more");
  const after = await now("conversation_metrics.open");
  expect(Number(after)).toBe(Number(before) + 1);
  await eventually(async () => {
    expect(await number("Open conversations").last().textContent()).toBe(after);
    expect(await number("Open without an agent").last().textContent()).toBe(
      await now("conversation_metrics.unassigned"),
    );
  });
});

test("arrow keys choose an interval of a chart, whose values are read out and shown", async () => {
  await openReport();
  const slider = page.getByRole("slider", { name: "Interval in the chart Conversations" });
  const text = () => slider.getAttribute("aria-valuetext");
  await slider.focus();
  await page.keyboard.press("Home");
  await eventually(async () => expect(await text()).toContain("Created conversations: 0"));
  expect(await slider.getAttribute("aria-valuenow")).toBe("1");
  await page.keyboard.press("ArrowRight");
  const created = recordsOf(await histories(), CHARTS[0]?.[1] ?? [])[1]?.[2];
  await eventually(async () => expect(await text()).toContain(`Created conversations: ${created}`));
  await page.keyboard.press("End");
  await eventually(async () => expect(await slider.getAttribute("aria-valuenow")).toBe("3"));
});

describe("states of the page", () => {
  test("days without data say so", async () => {
    await owner.open("/console/admin/reports?span=custom&from=2001-01-01&to=2001-01-07");
    await page.getByText("There is no data in this span").waitFor();
  });

  test("a span that the API refuses is named with its reason, and another interval shows it", async () => {
    await owner.open(addressOf({ from: "2015-01-01", interval: "1h" }));
    await page.getByText(/more than 10000 intervals of 1h: choose a longer interval or a shorter range/).waitFor();
    await page.getByRole("button", { name: /Interval$/ }).click();
    await page.getByRole("option", { name: "By month" }).click();
    await chartOf(page, "Conversations").waitFor();
    // The browser reports the refused requests.
    owner.errors.length = 0;
  });

  test("dates that are not a span are refused at their field, without a request", async () => {
    await openReport();
    owner.requests.length = 0;
    await page.getByLabel("Last day").fill(day(30));
    await page.getByText("The last day must not be before the first day.").waitFor();
    expect(owner.requests.filter((request) => request.includes("/metrics/historical"))).toEqual([]);
    await page.getByLabel("First day").fill(day(31));
    await page.getByText("There is no data in this span").waitFor();
  });

  test("a report that lacks the latest events says so", async () => {
    await page.route("**/console/api/metrics/state", (route) => route.fulfill({ json: { is_behind: true } }));
    await openReport();
    await page.getByText("The latest events are still being processed").waitFor();
    await page.unrouteAll();
    await page.getByRole("button", { name: "Refresh" }).click();
    await page.getByText("The latest events are still being processed").waitFor({ state: "detached" });
    await chartOf(page, "Conversations").waitFor();
  });
});

describe("every form of the page has no accessibility violation and does not scroll sideways:", () => {
  test.each([
    ["wide", { viewport: { width: 1_440, height: 900 } }],
    ["narrow and dark", { viewport: { width: 360, height: 740 }, colorScheme: "dark" as const }],
    ["forced colours", { forcedColors: "active" as const }],
  ])("%s", async (_, options) => {
    const other = await s.visit(undefined, options);
    await other.open(addressOf({ grouping: "group" }));
    await chartOf(other.page, "Created conversations").waitFor();
    expect(await accessibilityViolations(other.page)).toEqual([]);
    await other.page.getByRole("button", { name: "Show Created conversations as a table" }).click();
    await other.page.getByRole("region", { name: "Table: Created conversations" }).waitFor();
    expect(await accessibilityViolations(other.page)).toEqual([]);
    expect(other.errors).toEqual([]);
    await other.close();
  });
});

test("in German, whose units are abbreviations with a dot, summaries end with one dot, and no text of an axis is cut off", async () => {
  const other = await s.visit(undefined, { locale: "de-DE", viewport: { width: 360, height: 740 } });
  await other.open(addressOf({}));
  const summary = other.page.getByText(/^Im ganzen Zeitraum: [\d,]+ Sek\./).first();
  expect(await summary.textContent()).not.toContain("..");
  const chart = other.page.getByRole("slider", { name: /Zeit bis zur ersten Antwort/ });
  const left = (await chart.boundingBox())?.x ?? 0;
  const starts = await chart
    .locator("text[text-anchor=end]")
    .evaluateAll((texts) => texts.map((text) => text.getBoundingClientRect().left));
  expect(starts.length).toBeGreaterThan(1);
  expect(starts.filter((start) => start < left)).toEqual([]);
  await other.close();
});

describe("by role", () => {
  test("an agent with the role SUPER_USER reaches the reports, and no other page of the administration", async () => {
    const { email } = await account.agent({ name: "Sue Super", role: "SUPER_USER" });
    const agent = await s.visit(email);
    expect(await agent.page.getByRole("link", { name: "Administration" }).count()).toBe(0);
    await agent.page.getByRole("navigation", { name: "Console" }).getByRole("link", { name: "Reports" }).click();
    await agent.page.getByRole("slider", { name: "Interval in the chart Conversations" }).waitFor();
    const pages = agent.page.getByRole("navigation", { name: "Pages of the administration" });
    expect(await pages.getByRole("link").allTextContents()).toEqual(["Reports", "Raw reports"]);
    expect(agent.errors).toEqual([]);
    await agent.close();
  });

  test("an agent with a narrower scope than Global is told so, and the service refuses", async () => {
    const { email } = await account.agent({ name: "Gus Group", role: "SUPER_USER", scope: "Group" });
    const agent = await s.visit(email);
    await agent.open("/console/admin/reports");
    await agent.page.getByText("Your scope does not include reports").waitFor();
    expect(agent.requests.filter((request) => request.includes("/metrics/"))).toEqual([]);
    await expect(agent.session.metricPages.getMetricState()).rejects.toThrow(/403 FORBIDDEN/);
    await agent.close();
  });
});

test("the browser reported no errors", () => {
  expect(owner.errors).toEqual([]);
});
