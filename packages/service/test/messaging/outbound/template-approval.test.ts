import { expect, test } from "@jest/globals";
import type { Template } from "@parley/contract";
import { serviceHarness } from "../../service-harness.ts";
import {
  fakeClock,
  GREETING_TEMPLATE,
  messagesOfRequest,
  messageTemplate,
  MINUTE_MS,
  templateParams,
  saveTemplate,
  outboundRequest,
  sendOutbound,
} from "./outbound-fixture.ts";
import { fileFixture } from "../../../../../test/support/file-fixture.ts";

const time = fakeClock();
const w = fileFixture(() => serviceHarness({ ports: { now: time.now } }));

const PENDING: Template = { ...GREETING_TEMPLATE, name: "seasonal", status: "pending" };

/** -> "202", or the refusal's message */
const outcome = async (template: Template): Promise<string> =>
  sendOutbound(w, outboundRequest(messageTemplate(template))).then(
    () => "202",
    ({ problem }: { problem?: { status: string; message: string } }) => `${problem?.status}: ${problem?.message}`,
  );
const NOT_FOUND = "TEMPLATE_NOT_FOUND: The account has no approved template of this name, namespace and language.";

test("POST /outbound-messages/{provider} 400 TEMPLATE_NOT_FOUND: a wrong name sends nothing, and is approved 30 minutes after its first failure", async () => {
  expect(await outcome(PENDING)).toBe(NOT_FOUND);
  time.advance(10 * MINUTE_MS);
  await saveTemplate(w, PENDING);
  expect(await outcome(PENDING)).toBe(NOT_FOUND);
  time.advance(10 * MINUTE_MS);
  await saveTemplate(w, { ...PENDING, status: "approved" });
  const until = "it works from 2026-03-01T10:30:00.000Z on";
  expect(await outcome(PENDING)).toContain(until);
  time.advance(10 * MINUTE_MS - 1);
  expect(await outcome(PENDING)).toContain(until);
  expect((await w.client.outbound.listOutboundMessages({ query: {} })).outbound_messages).toEqual([]);
  time.advance(1);
  expect(await outcome(PENDING)).toBe("202");
  expect(await outcome(PENDING)).toBe("202");

  // The earlier failure is forgotten: a later one is a first failure.
  await saveTemplate(w, { ...PENDING, status: "rejected" });
  expect(await outcome(PENDING)).toBe(NOT_FOUND);
  await saveTemplate(w, { ...PENDING, status: "approved" });
  expect(await outcome(PENDING)).toContain("it works from 2026-03-01T11:00:00.000Z on");
});

test("POST /outbound-messages/{provider} 400 TEMPLATE_NOT_FOUND: the waiting time applies to one name in one namespace and account", async () => {
  const wrong = { ...GREETING_TEMPLATE, name: "lone" };
  expect(await outcome(wrong)).toBe(NOT_FOUND);
  for (const other of [
    { ...wrong, namespace: "other" },
    { ...wrong, name: "Lone" },
  ]) {
    await saveTemplate(w, other);
    expect(await outcome(other)).toBe("202");
  }
  await saveTemplate(w, wrong, "solo");
  const input = { params: { provider: "chatapp" }, body: outboundRequest(messageTemplate(wrong)) };
  expect(await w.solo.outbound.sendOutboundMessage(input)).toHaveProperty("request_id");
});

test("POST /outbound-messages/{provider} 400 TEMPLATE_NOT_FOUND: an unknown language of an approved name starts no waiting time", async () => {
  const english = { ...GREETING_TEMPLATE, name: "tongues" };
  await saveTemplate(w, english);
  const german = { ...english, language: "de_DE" };
  expect(await outcome(german)).toBe(NOT_FOUND);
  expect(await outcome({ ...english, language: "EN_us" })).toBe(NOT_FOUND);
  expect(await outcome(english)).toBe("202");
  await saveTemplate(w, german);
  expect(await outcome(german)).toBe("202");
});

test("a mismatch and an invalid number start no waiting time", async () => {
  const late = { ...GREETING_TEMPLATE, name: "late" };
  const bad = { ...outboundRequest(messageTemplate(late)), from: { phone_number: "1" } };
  await expect(sendOutbound(w, bad)).rejects.toMatchObject({ problem: { status: "INVALID_VALUE" } });
  await saveTemplate(w, late);
  const short = outboundRequest(
    messageTemplate(late, { rich_template_data: { body: { params: templateParams("a") } } }),
  );
  await expect(sendOutbound(w, short)).rejects.toMatchObject({ problem: { status: "TEMPLATE_MISMATCH" } });
  expect(await outcome(late)).toBe("202");
});

test("messages can be sent with the demo account's templates", async () => {
  const body = outboundRequest({
    namespace: "acme_shop",
    template_name: "order_shipped",
    language: { policy: "deterministic", code: "en" },
    rich_template_data: {
      header: { type: "image", media_url: "https://acme.example/parcel.png" },
      body: { params: templateParams("Ada", "1815") },
      button: { subType: "url", params: templateParams("1815") },
    },
  });
  const { request_id } = await sendOutbound(w, body);
  expect((await messagesOfRequest(w, request_id))[0]?.data).toEqual(body.data);
});
