import "../../browser-globals.ts";
import { expect, test } from "@jest/globals";
import type { ReportRules } from "@parley/contract";

const { longestRange, newRequestValues, requestBody, requestProblems, spanText } =
  await import("../../../src/administration/raw-reports/request-values.ts");

const NOW = Date.parse("2026-05-31T14:20:30.000Z");
const RULES: ReportRules = {
  per_minute: 1,
  per_day: 120,
  kept_days: 7,
  months_back: 15,
  link_seconds: 3_600,
  events: [
    { event: "Chat-Transcript", longest_range_seconds: 86_400 },
    { event: "CSAT-Score", longest_range_seconds: 31 * 86_400 },
  ],
};
const values = (from: string, to: string, event: "Chat-Transcript" | "CSAT-Score" = "Chat-Transcript") => ({
  ...newRequestValues(NOW),
  event,
  from,
  to,
});

test.each([
  ["the last 24 hours", values("2026-05-30T14:20", "2026-05-31T14:20"), {}],
  ["31 days", values("2026-04-30T00:00", "2026-05-31T00:00", "CSAT-Score"), {}],
  ["15 months back, to a shorter month", values("2025-02-28T14:21", "2025-02-28T15:00"), {}],
  [
    "more than 15 months back",
    values("2025-02-28T14:20", "2025-02-28T15:00"),
    { from: "The start can be 15 months back at most." },
  ],
  [
    "more than 24 hours of messages",
    values("2026-05-30T14:19", "2026-05-31T14:20"),
    { to: "The span can be 24 hours at most." },
  ],
  [
    "more than 31 days",
    values("2026-04-29T23:59", "2026-05-31T00:00", "CSAT-Score"),
    { to: "The span can be 31 days at most." },
  ],
  [
    "an end before the start",
    values("2026-05-31T10:00", "2026-05-31T09:00"),
    { to: "The end must be later than the start." },
  ],
  [
    "an end at the start",
    values("2026-05-31T10:00", "2026-05-31T10:00"),
    { to: "The end must be later than the start." },
  ],
  ["a start to come", values("2026-05-31T14:21", "2026-05-31T15:00"), { from: "The start must be in the past." }],
  ["no times", values("", ""), { from: "Choose the start.", to: "Choose the end." }],
  ["no end", values("2026-05-31T10:00", ""), { to: "Choose the end." }],
])("a request for %s", (_, request, problems) => {
  expect(requestProblems(request, RULES, NOW)).toEqual(problems);
});

test("the values of a new form can be requested", () => {
  for (const { event } of RULES.events)
    expect(requestProblems({ ...newRequestValues(NOW), event }, RULES, NOW)).toEqual({});
});

test("a request has its times in UTC, and the flag only if it is set", () => {
  const request = values("2026-05-31T10:00", "2026-05-31T11:30");
  expect(requestBody(request)).toEqual({
    event: "Chat-Transcript",
    start: "2026-05-31T10:00:00.000Z",
    end: "2026-05-31T11:30:00.000Z",
  });
  expect(requestBody({ ...request, excludesPii: true }).should_exclude_pii).toBe(true);
});

test.each([
  [1_800, "30 minutes"],
  [3_600, "1 hour"],
  [86_400, "24 hours"],
  [31 * 86_400, "31 days"],
])("%d seconds are %s", (seconds, text) => {
  expect(spanText(seconds)).toBe(text);
});

test("the longest range is that of the event", () => {
  expect(longestRange(RULES, "CSAT-Score")).toBe(31 * 86_400);
});
