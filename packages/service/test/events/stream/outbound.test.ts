import { afterAll, afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import { PERMISSIONS, type EventInStream, type Permission } from "@parley/contract";
import { firstChannelId, conversationFixture } from "../../messaging/conversations/conversation-fixture.ts";
import {
  SENDER_NUMBER,
  GREETING_TEMPLATE,
  messagesOfRequest,
  RECIPIENT_NUMBERS,
  saveTemplate,
  outboundRequest,
  sendOutbound,
  untilStatuses,
} from "../../messaging/outbound/outbound-fixture.ts";
import { serviceHarness, type ServiceHarness } from "../../service-harness.ts";
import { streamReaders, type StreamReader } from "./stream-reader-fixture.ts";

/** Statuses of outbound messages in the stream. */

let w: ServiceHarness;
beforeAll(async () => {
  w = await serviceHarness();
  await saveTemplate(w, GREETING_TEMPLATE);
});
afterAll(() => w.close());

const streams = streamReaders(() => w);
const open = (query = "", token = w.token, lastEventId?: string): Promise<StreamReader> =>
  streams.open({ token, query, lastEventId });
afterEach(streams.closeAll);
const tokenFor = async (...permissions: readonly Permission[]) =>
  (await w.admin.issueToken({ account: "acme", name: "reader", permissions })).token;

const OUTBOUND = "outbound_message_update";
const eventsOf = (one: StreamReader) => one.events.map(({ data }) => data as EventInStream);
const outboundOf = (one: StreamReader) => eventsOf(one).filter(({ kind }) => kind === OUTBOUND);
const statuses = (one: StreamReader) => outboundOf(one).map(({ data }) => data.outbound_message?.status);

describe("GET /stream sends outbound messages", () => {
  test("each status as in the list of messages, with the previous one", async () => {
    const one = await open(`?types=${OUTBOUND}`);
    const { request_id } = await sendOutbound(w, outboundRequest({}, [RECIPIENT_NUMBERS.failed]));
    const [message] = await untilStatuses(w, request_id, "Failed");
    await one.until(() => one.events.length === 2);
    const [sent, failed] = eventsOf(one);
    expect(one.events.map(({ event }) => event)).toEqual([OUTBOUND, OUTBOUND]);
    expect(failed).toEqual({
      id: expect.any(String),
      kind: OUTBOUND,
      account_id: expect.any(Number),
      account: "acme",
      domain: expect.stringMatching(/^acme\./),
      region: expect.any(String),
      timestamp: expect.any(Number),
      version: "1.0.0",
      data: {
        actor: { type: "system", id: "" },
        associations: {},
        changes: { model_changes: { status: ["Sent", "Failed"] } },
        outbound_message: message,
      },
    });
    expect(message).toMatchObject({ from: { phone_number: SENDER_NUMBER }, failure_code: "RECIPIENT_UNREACHABLE" });
    expect(sent?.data).toMatchObject({ changes: { model_changes: { status: ["Accepted", "Sent"] } } });
    expect(sent?.data.outbound_message).toMatchObject({ message_id: message?.message_id, status: "Sent" });
    // It had not failed at that event.
    expect(sent?.data.outbound_message).not.toHaveProperty("failure_code");
  });

  test("the status of the event, even if the message has changed since", async () => {
    const one = await open();
    const { request_id } = await sendOutbound(w, outboundRequest({}, [RECIPIENT_NUMBERS.delivered]));
    await untilStatuses(w, request_id, "Delivered");
    await one.until(() => outboundOf(one).length === 2);
    const again = await open("", w.token, one.events[0]?.id);
    await again.until(() => again.events.length === 1);
    expect(again.events).toEqual(one.events.slice(1));
    const first = await open("", w.token);
    await sendOutbound(w, outboundRequest({}, [RECIPIENT_NUMBERS.delivered]));
    await first.until(() => outboundOf(first).length === 2);
    expect(statuses(first)).toEqual(["Sent", "Delivered"]);
  });

  test("of many recipients, each in its own order, and none of another account", async () => {
    const { token } = await w.admin.issueToken({ account: "solo", name: "reader" });
    const [one, theirs] = [await open(`?types=${OUTBOUND}`), await open("", token)];
    const numbers = Array.from({ length: 40 }, (_, index) => `+120255502${String(index).padStart(2, "0")}`);
    const { request_id } = await sendOutbound(w, outboundRequest({}, numbers));
    await one.until(() => one.events.length === 2 * numbers.length);
    const messages = await messagesOfRequest(w, request_id);
    for (const { message_id } of messages)
      expect(
        outboundOf(one)
          .filter(({ data }) => data.outbound_message?.message_id === message_id)
          .map(({ data }) => data.outbound_message?.status),
      ).toEqual(["Sent", "Delivered"]);
    await w.solo.users.createUser({ body: { first_name: "Sol" } });
    await theirs.until(() => theirs.events.length === 1);
    expect(theirs.text()).not.toContain(OUTBOUND);
  });
});

describe("a token gets outbound messages by outbound:read:", () => {
  const without = PERMISSIONS.filter((permission) => permission !== "outbound:read");
  const CASES: [string, readonly Permission[], readonly string[]][] = [
    ["all permissions", PERMISSIONS, ["user_create", "conversation_create", "message_create", OUTBOUND, OUTBOUND]],
    ["all but that one", without, ["user_create", "conversation_create", "message_create"]],
    ["that one alone", ["outbound:read"], [OUTBOUND, OUTBOUND]],
  ];
  test.each(CASES)("%s", async (_, permissions, kinds) => {
    const one = await open("", await tokenFor(...permissions));
    const all = await open();
    const { sendMessage } = await conversationFixture(w, await firstChannelId(w));
    const { request_id } = await sendOutbound(w, outboundRequest());
    await untilStatuses(w, request_id, "Delivered");
    await all.until(() => outboundOf(all).length === 2);
    await one.until(() => one.events.length >= kinds.length);
    expect(one.events.map(({ event }) => event).sort()).toEqual([...kinds].sort());
    // Any event of the outbound message would have arrived before this one.
    await sendMessage("after");
    await all.until(() => all.text().includes("after"));
    expect(one.text().includes(RECIPIENT_NUMBERS.delivered)).toBe(permissions.includes("outbound:read"));
  });

  test("GET /stream 403 FORBIDDEN if it is requested without", async () => {
    const one = await open(`?types=${OUTBOUND}`, await tokenFor("message:read"));
    expect([one.status, one.refusal?.status]).toEqual([403, "FORBIDDEN"]);
    expect(one.refusal?.message).toContain("outbound:read");
  });

  test("a conversation's stream contains none of them", async () => {
    const { conversationId, sendMessage } = await conversationFixture(w, await firstChannelId(w));
    const [one, all] = [await open(`?conversation_id=${conversationId}`), await open()];
    await sendOutbound(w, outboundRequest());
    await all.until(() => outboundOf(all).length === 2);
    await sendMessage("after");
    await one.until(() => one.text().includes("after"));
    expect(outboundOf(one)).toEqual([]);
  });
});
