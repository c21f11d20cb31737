import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { Template } from "@parley/contract";
import { world, type World } from "../service-harness.ts";
import { clock, GREETING, listed, messageTemplate, MINUTE, params, put, request, send } from "./outbound-fixture.ts";

const time = clock();
let w: World;
beforeAll(async () => {
  w = await world({ ports: { now: time.now } });
});
afterAll(() => w.close());

const PENDING: Template = { ...GREETING, name: "seasonal", status: "pending" };

/** -> "202", or the refusal's message */
const outcome = async (template: Template): Promise<string> =>
  send(w, request(messageTemplate(template))).then(
    () => "202",
    ({ problem }: { problem?: { status: string; message: string } }) => `${problem?.status}: ${problem?.message}`,
  );
const NOT_FOUND = "TEMPLATE_NOT_FOUND: The account has no approved template of this name, namespace and language.";

test("POST /outbound-messages/{provider} 400 TEMPLATE_NOT_FOUND: a wrong name sends nothing, and is approved 30 minutes after its first failure", async () => {
  expect(await outcome(PENDING)).toBe(NOT_FOUND);
  time.move(10 * MINUTE);
  await put(w, PENDING);
  expect(await outcome(PENDING)).toBe(NOT_FOUND);
  time.move(10 * MINUTE);
  await put(w, { ...PENDING, status: "approved" });
  const until = "it works from 2026-03-01T10:30:00.000Z on";
  expect(await outcome(PENDING)).toContain(until);
  time.move(10 * MINUTE - 1);
  expect(await outcome(PENDING)).toContain(until);
  expect((await w.client.outbound.listOutboundMessages({ query: {} })).outbound_messages).toEqual([]);
  time.move(1);
  expect(await outcome(PENDING)).toBe("202");
  expect(await outcome(PENDING)).toBe("202");

  // The earlier failure is forgotten: a later one is a first failure.
  await put(w, { ...PENDING, status: "rejected" });
  expect(await outcome(PENDING)).toBe(NOT_FOUND);
  await put(w, { ...PENDING, status: "approved" });
  expect(await outcome(PENDING)).toContain("it works from 2026-03-01T11:00:00.000Z on");
});

test("POST /outbound-messages/{provider} 400 TEMPLATE_NOT_FOUND: the waiting time applies to one name in one namespace and account", async () => {
  const wrong = { ...GREETING, name: "lone" };
  expect(await outcome(wrong)).toBe(NOT_FOUND);
  for (const other of [
    { ...wrong, namespace: "other" },
    { ...wrong, name: "Lone" },
  ]) {
    await put(w, other);
    expect(await outcome(other)).toBe("202");
  }
  await put(w, wrong, "solo");
  const input = { params: { provider: "chatapp" }, body: request(messageTemplate(wrong)) };
  expect(await w.solo.outbound.sendOutboundMessage(input)).toHaveProperty("request_id");
});

test("POST /outbound-messages/{provider} 400 TEMPLATE_NOT_FOUND: an unknown language of an approved name starts no waiting time", async () => {
  const english = { ...GREETING, name: "tongues" };
  await put(w, english);
  const german = { ...english, language: "de_DE" };
  expect(await outcome(german)).toBe(NOT_FOUND);
  expect(await outcome({ ...english, language: "EN_us" })).toBe(NOT_FOUND);
  expect(await outcome(english)).toBe("202");
  await put(w, german);
  expect(await outcome(german)).toBe("202");
});

test("a mismatch and an invalid number start no waiting time", async () => {
  const late = { ...GREETING, name: "late" };
  const bad = { ...request(messageTemplate(late)), from: { phone_number: "1" } };
  await expect(send(w, bad)).rejects.toMatchObject({ problem: { status: "INVALID_VALUE" } });
  await put(w, late);
  const short = request(messageTemplate(late, { rich_template_data: { body: { params: params("a") } } }));
  await expect(send(w, short)).rejects.toMatchObject({ problem: { status: "TEMPLATE_MISMATCH" } });
  expect(await outcome(late)).toBe("202");
});

test("messages can be sent with the demo account's templates", async () => {
  const body = request({
    namespace: "acme_shop",
    template_name: "order_shipped",
    language: { policy: "deterministic", code: "en" },
    rich_template_data: {
      header: { type: "image", media_url: "https://acme.example/parcel.png" },
      body: { params: params("Ada", "1815") },
      button: { subType: "url", params: params("1815") },
    },
  });
  const { request_id } = await send(w, body);
  expect((await listed(w, request_id))[0]?.data).toEqual(body.data);
});
