import { beforeAll, expect, jest, test } from "@jest/globals";
import { OUTSIDE_HOST } from "./concierge-outside.ts";
import { CONSENT_ANSWER } from "../server/lib/lead-consent.ts";
import { conciergeWorld, customer } from "./concierge-shared.ts";

/** The daily report, on the real service: its clock starts on Monday, 5 January 2026, at 9:00 UTC. */

jest.setTimeout(60_000);

const settings = { digest: true, digest_hour: "08:00", csat: true };
let w: Awaited<ReturnType<typeof conciergeWorld>>;
let agent: string;
let desk: Awaited<ReturnType<typeof customer>>;
beforeAll(async () => {
  w = await conciergeWorld();
  const { agents } = await w.api.agents.listAgents({ query: { items_per_page: 100 } });
  agent = agents[0]?.id ?? "";
  desk = await customer(w, { user: { first_name: "Desk" } });
}, 90_000);

const pass = async (time: string) => {
  await w.clock.advance(time);
  await w.settled();
};
const firings = async () =>
  (await w.invocations({ event: "onScheduledEvent" })).filter(({ payload }) =>
    JSON.stringify(payload).includes('"kind":"digest"'),
  );
const report = (date: string, ...values: string[]) =>
  [
    `Report of ${date}`,
    "",
    ...[
      "Conversations begun or reopened",
      "Conversations resolved",
      "First response, median",
      "Resolution, median",
      "Ratings",
      "Leads",
    ].map((name, index) => `${name.padEnd(33)}${values[index] ?? ""}`),
  ].join("\n");

test("the report of the day before is a private note in the conversation of the admin's choice, each day once", async () => {
  await w.install({ ...settings, digest_conversation: desk.id });
  const ada = await customer(w, { says: "You reach me by ada@example.org" });
  await ada.says(CONSENT_ANSWER);
  await pass("200s");
  await w.api.messages.createMessage({
    params: { conversation_id: ada.id },
    body: { message_parts: [{ text: { content: "Done!" } }], actor_type: "agent", actor_id: agent },
  });
  await pass("1h");
  await ada.change({ status: "resolved" });
  const [question] = (await ada.messages()).filter(({ meta_data }) => meta_data?.["concierge"] === "csat");
  await w.api.messages.createMessage({
    params: { conversation_id: ada.id },
    body: {
      message_parts: [{ text: { content: "4" } }],
      actor_type: "user",
      actor_id: ada.user_id,
      in_reply_to: { message_id: question?.id ?? "" },
    },
  });
  await w.settled();
  await pass("21h50m");
  expect(await desk.notes()).toEqual([]);
  await pass("10m");
  const monday = report("Monday, 2026-01-05", "2", "1", "3 min 20 s", "1 h 3 min", "1, on average 4 of 5", "1");
  expect(await desk.notes()).toEqual([monday]);

  for (const { event, payload } of await firings()) await w.event(event, payload as Record<string, unknown>);
  expect(await desk.notes()).toEqual([monday]);
  await pass("1d");
  expect(await desk.notes()).toEqual([monday, report("Tuesday, 2026-01-06", "0", "0", "–", "–", "0", "0")]);
});

test("settings that are saved meanwhile double no report and lose none", async () => {
  const before = (await desk.notes()).length;
  await w.install({ ...settings, digest_hour: "10:00", digest_conversation: desk.id });
  await pass("3h");
  expect(await desk.notes()).toHaveLength(before);
  await w.install({ ...settings, digest_hour: "07:00", digest_conversation: desk.id });
  await pass("23h");
  expect(await desk.notes()).toHaveLength(before + 1);
  await w.install({ digest: false });
  await pass("2d");
  expect(await desk.notes()).toHaveLength(before + 1);
});

test("a report that the account's failure puts off comes later, and the next one on its day", async () => {
  await w.install({ ...settings, digest_conversation: desk.id });
  const before = (await desk.notes()).length;
  await pass("12h");
  await w.fault({ target: "app", kind: "status", status: 503, times: 4 });
  await pass("12h");
  await pass("10m");
  expect(await desk.notes()).toHaveLength(before + 1);
  await pass("1d");
  expect(await desk.notes()).toHaveLength(before + 2);
});

test("the other system is told the figures", async () => {
  await w.install({
    ...settings,
    digest_to: "The other system",
    sync_out: true,
    sync_url: `https://${OUTSIDE_HOST}/reports`,
    sync_secret: "secret",
    sync_events: [],
  });
  w.outside.reset();
  await pass("1d");
  expect(w.outside.told).toMatchObject([{ method: "POST", path: "/reports" }]);
  const [told] = w.outside.told;
  const { id, event, time, report: figures } = JSON.parse(told?.body ?? "{}") as Record<string, unknown>;
  expect(told?.headers["x-concierge-id"]).toBe(id);
  expect({ event, id }).toEqual({ event: "report.made", id: expect.stringMatching(/^digest-2026-01-\d\d$/) });
  expect(time).toMatch(/^2026-01-\d\dT\d\d:\d\d:\d\d\.000Z$/);
  expect(figures).toMatchObject({
    day: String(id).slice(7),
    time_zone: "UTC",
    conversations_begun: 0,
    conversations_resolved: 0,
    first_response_seconds: null,
    resolution_seconds: null,
    ratings: 0,
    rating_average: null,
    leads: 0,
    text: expect.stringMatching(/^Report of /),
  });
});
