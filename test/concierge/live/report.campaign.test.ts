import { beforeAll, expect, test } from "@jest/globals";
import { EXTERNAL_SYSTEM_HOST } from "./fake-external-system.ts";
import { CONSENT_ANSWER } from "../../../server/lib/lead-consent.ts";
import { conciergeHarness, createCustomer } from "./harness.ts";

/** The daily report, on the real service: its clock starts on Monday, 5 January 2026, at 9:00 UTC. */

const settings = { digest: true, digest_hour: "08:00", csat: true };
let w: Awaited<ReturnType<typeof conciergeHarness>>;
let agent: string;
let reportConversation: Awaited<ReturnType<typeof createCustomer>>;
beforeAll(async () => {
  w = await conciergeHarness();
  const { agents } = await w.api.agents.listAgents({ query: { items_per_page: 100 } });
  agent = agents[0]?.id ?? "";
  reportConversation = await createCustomer(w, { user: { first_name: "Desk" } });
});

const advanceClock = async (time: string) => {
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

test("the report of the previous day is a private note in the configured conversation, once per day", async () => {
  await w.install({ ...settings, digest_conversation: reportConversation.id });
  const ada = await createCustomer(w, { text: "You reach me by ada@example.org" });
  await ada.write(CONSENT_ANSWER);
  await advanceClock("200s");
  await w.api.messages.createMessage({
    params: { conversation_id: ada.id },
    body: { message_parts: [{ text: { content: "Done!" } }], actor_type: "agent", actor_id: agent },
  });
  await advanceClock("1h");
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
  await advanceClock("21h50m");
  expect(await reportConversation.notes()).toEqual([]);
  await advanceClock("10m");
  const monday = report("Monday, 2026-01-05", "2", "1", "3 min 20 s", "1 h 3 min", "1, on average 4 of 5", "1");
  expect(await reportConversation.notes()).toEqual([monday]);

  for (const { event, payload } of await firings()) await w.event(event, payload as Record<string, unknown>);
  expect(await reportConversation.notes()).toEqual([monday]);
  await advanceClock("1d");
  expect(await reportConversation.notes()).toEqual([
    monday,
    report("Tuesday, 2026-01-06", "0", "0", "–", "–", "0", "0"),
  ]);
});

test("a change of settings neither duplicates nor loses a report", async () => {
  const before = (await reportConversation.notes()).length;
  await w.install({ ...settings, digest_hour: "10:00", digest_conversation: reportConversation.id });
  await advanceClock("3h");
  expect(await reportConversation.notes()).toHaveLength(before);
  await w.install({ ...settings, digest_hour: "07:00", digest_conversation: reportConversation.id });
  await advanceClock("23h");
  expect(await reportConversation.notes()).toHaveLength(before + 1);
  await w.install({ digest: false });
  await advanceClock("2d");
  expect(await reportConversation.notes()).toHaveLength(before + 1);
});

test("a report postponed by a failure of the account is made later, and the next one on schedule", async () => {
  await w.install({ ...settings, digest_conversation: reportConversation.id });
  const before = (await reportConversation.notes()).length;
  await advanceClock("12h");
  await w.fault({ target: "app", kind: "status", status: 503, times: 4 });
  await advanceClock("12h");
  await advanceClock("10m");
  expect(await reportConversation.notes()).toHaveLength(before + 1);
  await advanceClock("1d");
  expect(await reportConversation.notes()).toHaveLength(before + 2);
});

test("the figures are sent to the other system", async () => {
  await w.install({
    ...settings,
    digest_to: "The other system",
    sync_out: true,
    sync_url: `https://${EXTERNAL_SYSTEM_HOST}/reports`,
    sync_secret: "secret",
    sync_events: [],
  });
  w.externalSystem.reset();
  await advanceClock("1d");
  expect(w.externalSystem.requests).toMatchObject([{ method: "POST", path: "/reports" }]);
  const [request] = w.externalSystem.requests;
  const { id, event, time, report: figures } = JSON.parse(request?.body ?? "{}") as Record<string, unknown>;
  expect(request?.headers["x-concierge-id"]).toBe(id);
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
