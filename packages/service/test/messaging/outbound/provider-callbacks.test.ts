import { beforeAll, describe, expect, test } from "@jest/globals";
import { serviceHarness } from "../../service-harness.ts";
import {
  fakeClock,
  GREETING_TEMPLATE,
  messagesOfRequest,
  MINUTE_MS,
  saveTemplate,
  outboundRequest,
  sendOutbound,
  untilStatuses,
  pollUntil,
} from "./outbound-fixture.ts";
import { startFakeProvider } from "./fake-provider.ts";
import { fileFixture } from "../../../../../test/support/file-fixture.ts";

const time = fakeClock();
const provider = fileFixture(() => startFakeProvider(time.now));
const w = fileFixture(() =>
  serviceHarness({
    ports: { now: time.now },
    config: { outbound: { url: provider.url, secret: provider.secret } },
  }),
);
beforeAll(async () => {
  await saveTemplate(w, GREETING_TEMPLATE);
});

interface CallbackResponse {
  readonly code: number;
  readonly status: string;
  readonly message: string;
}
const postCallback = async (
  init: { headers: Record<string, string>; body: string },
  name = "chatapp",
): Promise<CallbackResponse> => {
  const reply = await fetch(`${w.url}/outbound-callbacks/${name}`, { method: "POST", ...init });
  const body = (await reply.json()) as CallbackResponse;
  expect(body.code).toBe(reply.status);
  return body;
};
const call = (body: unknown, name?: string) => postCallback(provider.callback(body, time.now()), name);

const sent = async () => {
  const { request_id } = await sendOutbound(w, outboundRequest());
  const [message] = await untilStatuses(w, request_id, "Sent");
  const message_id = message?.message_id ?? "";
  return { request_id, message_id, state: async () => (await messagesOfRequest(w, request_id))[0] };
};

describe("POST /outbound-callbacks/{provider}", () => {
  test("reports the status of a message, by Parley's id or the provider's", async () => {
    const first = await sent();
    expect(await call({ message_id: first.message_id, status: "delivered" })).toEqual({
      code: 200,
      status: "OK",
      message: "The message is Delivered.",
    });
    expect((await first.state())?.status).toBe("Delivered");
    const second = await sent();
    const failure = { failure_code: "131026", failure_reason: "Not on the app" };
    const provider_message_id = `p-${second.message_id}`;
    expect(await call({ provider_message_id, status: "FAILED", ...failure })).toMatchObject({ code: 200 });
    expect(await second.state()).toMatchObject({ status: "Failed", ...failure });
    const third = await sent();
    expect(await call({ message_id: third.message_id, status: "failed" })).toMatchObject({ code: 200 });
    expect(await third.state()).toMatchObject({ failure_code: "PROVIDER_FAILED" });
  });

  test("has no effect when it is repeated, late or out of order", async () => {
    const { message_id, state } = await sent();
    const delivered = provider.callback({ message_id, status: "delivered" }, time.now());
    await Promise.all([postCallback(delivered), postCallback(delivered), postCallback(delivered)]);
    for (const status of ["sent", "failed", "delivered"])
      expect(await call({ message_id, status })).toMatchObject({
        code: 200,
        message: "The message was as far as that already.",
      });
    expect(await state()).toMatchObject({ status: "Delivered" });
    expect(await state()).not.toHaveProperty("failure_code");
  });

  test("may precede the response to the sending", async () => {
    provider.replies.push("break");
    const { length } = provider.requests;
    const { request_id } = await sendOutbound(w, outboundRequest());
    await pollUntil(
      async () => provider.requests.length,
      (tries) => tries > length,
    );
    const [message] = await messagesOfRequest(w, request_id);
    const body = { message_id: message?.message_id, status: "delivered" };
    expect(await call(body)).toMatchObject({ code: 200, message: "The message is Delivered." });
    time.advance(MINUTE_MS);
    await untilStatuses(w, request_id, "Delivered");
  });

  test("requires a valid signature", async () => {
    const { message_id, state } = await sent();
    const body = { message_id, status: "delivered" };
    const right = provider.callback(body, time.now());
    const other = `whsec_${Buffer.alloc(32, 8).toString("base64")}`;
    const wrong = [
      { headers: {}, body: right.body },
      { ...right, body: `${right.body} ` },
      { ...right, headers: { ...right.headers, "webhook-id": "another" } },
      { ...right, headers: { ...right.headers, "webhook-signature": "v1,AAAA" } },
      { ...right, headers: { ...right.headers, "webhook-signature": "" } },
      provider.callback(body, time.now(), other),
      provider.callback(body, new Date(time.now().getTime() - 6 * MINUTE_MS)),
      provider.callback(body, new Date(time.now().getTime() + 6 * MINUTE_MS)),
      { ...provider.callback("", time.now(), other), body: "" },
    ];
    for (const init of wrong) expect(await postCallback(init)).toMatchObject({ code: 401, status: "UNAUTHENTICATED" });
    const token = { ...wrong[0], headers: { authorization: `Bearer ${w.token}` }, body: right.body };
    expect(await postCallback(token)).toMatchObject({ code: 401 });
    expect((await state())?.status).toBe("Sent");
  });

  test.each<[string, unknown, number, string]>([
    ["an unknown message", { message_id: "01890000-0000-7000-8000-000000000000", status: "sent" }, 404, "MESSAGE"],
    ["an id that is none", { message_id: "42", status: "sent" }, 404, "OUTBOUND_MESSAGE_NOT_FOUND"],
    ["another's id", { provider_message_id: "p-42", status: "sent" }, 404, "OUTBOUND_MESSAGE_NOT_FOUND"],
    ["no id", { status: "sent" }, 400, "MISSING_PARAMETER"],
    ["no status", { message_id: "42" }, 400, "MISSING_PARAMETER"],
    ["an unknown status", { message_id: "42", status: "read" }, 400, "INVALID_VALUE"],
    ["Accepted", { message_id: "42", status: "Accepted" }, 400, "INVALID_VALUE"],
    ["a number", { message_id: "42", status: 7 }, 400, "INVALID_VALUE"],
    ["a list", [], 400, "INVALID_VALUE"],
    ["nothing", "", 400, "MISSING_PARAMETER"],
    ["no JSON", "{", 400, "INVALID_JSON"],
    ["a NUL", { message_id: "a\0", status: "sent" }, 400, "INVALID_VALUE"],
    ["a long reason", { message_id: "42", status: "failed", failure_reason: "x".repeat(1_025) }, 400, "INVALID_VALUE"],
  ])("refuses %s", async (_, body, code, status) => {
    const response = await call(body);
    expect(response.code).toBe(code);
    expect(response.status).toContain(status);
  });

  test("accepts registered providers only, and each for its own messages", async () => {
    const { message_id } = await sent();
    const body = { message_id, status: "delivered" };
    expect(await call(body, "sms")).toMatchObject({ code: 404, status: "PROVIDER_NOT_FOUND" });
    expect(await call(body, "whatsapp")).toMatchObject({ code: 404, status: "OUTBOUND_MESSAGE_NOT_FOUND" });
    const reply = await fetch(`${w.url}/outbound-callbacks/chatapp`);
    expect([reply.status, reply.headers.get("allow")]).toEqual([405, "POST"]);
    expect((await fetch(`${w.url}/v2/outbound-callbacks/chatapp`, { method: "POST" })).status).toBe(404);
  });

  test("is 404 if the sandbox is the provider", async () => {
    const other = await serviceHarness({ database: w.database, ports: { now: time.now } });
    const init = provider.callback({ message_id: "42", status: "sent" }, time.now());
    const reply = await fetch(`${other.url}/outbound-callbacks/chatapp`, { method: "POST", ...init });
    expect(reply.status).toBe(401);
    await other.close();
  });
});
