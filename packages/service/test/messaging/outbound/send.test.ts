import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { serviceHarness, type ServiceHarness } from "../../service-harness.ts";
import {
  GREETING_TEMPLATE,
  messagesOfRequest,
  messageTemplate,
  RECIPIENT_NUMBERS,
  templateParams,
  saveTemplate,
  outboundRequest,
  sendOutbound,
  untilStatuses,
} from "./outbound-fixture.ts";

let w: ServiceHarness;
beforeAll(async () => {
  w = await serviceHarness();
  await saveTemplate(w, GREETING_TEMPLATE);
});
afterAll(() => w.close());

const ROUTE = "/v2/outbound-messages";

/** Sends bodies that the typed client does not permit. */
const posted = (body: unknown, provider = "chatapp") =>
  w.raw("POST", `${ROUTE}/${provider}`, {
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
const post = async (body: unknown, provider?: string) => {
  const reply = await posted(body, provider);
  const { status, message } = (await reply.json()) as { status?: string; message?: string };
  return { code: reply.status, status, message };
};
const count = async () =>
  (await w.client.outbound.listOutboundMessages({ query: { items_per_page: 100 } })).outbound_messages.length;

/** A valid request with one member replaced; undefined removes it. */
const broken = (path: string, value: unknown): unknown => {
  const body = structuredClone(outboundRequest()) as unknown as Record<string, unknown>;
  const steps = path.split(".");
  const last = steps.pop() ?? "";
  const place = steps.reduce((at, step) => at[step] as Record<string, unknown>, body);
  place[last] = value;
  return body;
};
const TEMPLATE = "data.message_template";
const RICH = `${TEMPLATE}.rich_template_data`;

describe("POST /outbound-messages/{provider}", () => {
  test("POST /outbound-messages/{provider} 202: names the request, its processing time and the list of its messages", async () => {
    const response = await sendOutbound(w, outboundRequest());
    expect(response).toEqual({
      request_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      request_process_time: expect.stringMatching(/^\d+\.\d{3}$/),
      link: { rel: "outbound_message", href: `/v2/outbound-messages?request_id=${response.request_id}`, type: "GET" },
    });
    const found = await w.raw("GET", response.link.href);
    expect(((await found.json()) as { outbound_messages: unknown[] }).outbound_messages).toHaveLength(1);
  });

  test("POST /outbound-messages/{provider} 202: a message per recipient, for one of the provider's two names", async () => {
    const numbers = [RECIPIENT_NUMBERS.delivered, RECIPIENT_NUMBERS.never, RECIPIENT_NUMBERS.other];
    const body = { ...outboundRequest({ storage: "none" }, numbers), provider: "whatsapp" };
    const { request_id } = await sendOutbound(w, body, "whatsapp");
    const messages = await untilStatuses(w, request_id, "Delivered", "Sent", "Delivered");
    expect(messages.flatMap(({ to }) => to.map(({ phone_number }) => phone_number))).toEqual(numbers);
    expect(new Set(messages.map(({ message_id }) => message_id)).size).toBe(3);
    const { to: _to, ...same } = body;
    for (const message of messages) expect(message).toMatchObject({ ...same, request_id });
  });

  test("POST /outbound-messages/{provider} 202: template_data alone fills the text, and is ignored beside rich_template_data", async () => {
    const old = { rich_template_data: undefined, template_data: templateParams("Ada", "late") };
    const [message] = await messagesOfRequest(w, (await sendOutbound(w, outboundRequest(old))).request_id);
    expect(message?.data.message_template.template_data).toEqual(templateParams("Ada", "late"));
    const both = await sendOutbound(w, outboundRequest({ template_data: templateParams("one too few") }));
    const [stored] = await messagesOfRequest(w, both.request_id);
    expect(stored?.data.message_template).not.toHaveProperty("template_data");
  });

  test("POST /outbound-messages/{provider} 202: nulls and unknown members are ignored, any language policy is accepted", async () => {
    const body = broken(`${TEMPLATE}.language`, { policy: "fallback", code: "en_US", extra: 1 });
    expect(await post({ ...(body as object), status: "Failed", message_id: null })).toMatchObject({ code: 202 });
    expect(await post(broken(`${RICH}.header`, null))).toMatchObject({ code: 202 });
  });

  test.each([
    ["no name", broken(`${TEMPLATE}.template_name`, undefined), 5, "template_name is required"],
    ["no names at all", broken(TEMPLATE, {}), 5, "template_name, namespace, language are required"],
    ["no body", undefined, 5, /is required$/],
    ["a number as a number", broken("from.phone_number", 1), 400, "from.phone_number must be a string"],
    ["a name that nobody knows", broken(`${TEMPLATE}.template_name`, "nobody_knows"), 400, /no approved template/],
  ])(
    "a refusal has the members that clients in the field read: %s",
    async (_title, body, error_code, error_message) => {
      const response = (await (await posted(body)).json()) as object;
      const words = typeof error_message === "string" ? error_message : expect.stringMatching(error_message);
      expect(response).toMatchObject({ code: 400, success: false, error_code, error_message: words });
    },
  );

  test("POST /outbound-messages/{provider} 404 PROVIDER_NOT_FOUND: the path names no registered provider", async () => {
    for (const name of ["sms", "CHATAPP", "chatapp%20", "%00", "__proto__"])
      expect(await post({ ...outboundRequest(), provider: name }, name)).toMatchObject({ code: 404 });
    expect((await post(outboundRequest(), "sms")).status).toBe("PROVIDER_NOT_FOUND");
  });

  test.each([
    ["no body", undefined, "MISSING_PARAMETER", "The body"],
    ["no from", broken("from", undefined), "MISSING_PARAMETER", "from"],
    ["from null", broken("from", null), "MISSING_PARAMETER", "from"],
    ["no number in from", broken("from", {}), "MISSING_PARAMETER", "from.phone_number"],
    ["no provider", broken("provider", undefined), "MISSING_PARAMETER", "provider"],
    ["no to", broken("to", undefined), "MISSING_PARAMETER", "to"],
    ["no data", broken("data", undefined), "MISSING_PARAMETER", "data"],
    ["no template", broken("data", {}), "MISSING_PARAMETER", "data.message_template"],
    ["no name", broken(`${TEMPLATE}.template_name`, undefined), "MISSING_PARAMETER", "template_name"],
    ["no namespace", broken(`${TEMPLATE}.namespace`, undefined), "MISSING_PARAMETER", "namespace"],
    ["no language", broken(`${TEMPLATE}.language`, undefined), "MISSING_PARAMETER", "language"],
    ["no code", broken(`${TEMPLATE}.language`, {}), "MISSING_PARAMETER", "language.code"],
    ["no parameters of either kind", broken(RICH, undefined), "MISSING_PARAMETER", RICH],
    ["the provider of another address", broken("provider", "whatsapp"), "INVALID_VALUE", "provider must be chatapp"],
    ["an unknown provider", broken("provider", "sms"), "INVALID_VALUE", "provider must be chatapp"],
    ["nobody", broken("to", []), "INVALID_VALUE", "to must have at least 1"],
    ["one for all", broken("to", { phone_number: RECIPIENT_NUMBERS.other }), "INVALID_VALUE", "to must be an array"],
    [
      "101 recipients",
      outboundRequest(
        {},
        Array.from({ length: 101 }, (_, index) => `+120255501${String(index).padStart(2, "0")}`),
      ),
      "INVALID_VALUE",
      "to must have at most 100",
    ],
    ["a number as a number", broken("from.phone_number", 12025550100), "INVALID_VALUE", "from.phone_number"],
    ["an unknown storage", broken(`${TEMPLATE}.storage`, "attic"), "INVALID_VALUE", "storage must be one of"],
    ["an unknown header", broken(`${RICH}.header`, { type: "audio" }), "INVALID_VALUE", "header.type must be one of"],
    ["an empty parameter", broken(`${RICH}.body.params.1.data`, ""), "INVALID_VALUE", `${RICH}.body.params[1].data`],
    ["a blank parameter", broken(`${RICH}.body.params.0.data`, " \n"), "INVALID_VALUE", `${RICH}.body.params[0].data`],
    ["a NUL", broken(`${RICH}.body.params.0.data`, "a\0b"), "INVALID_VALUE", "NUL"],
    ["a long name", broken(`${TEMPLATE}.template_name`, "x".repeat(1_025)), "INVALID_VALUE", "template_name"],
    [
      "a text too long in all",
      outboundRequest({
        rich_template_data: { body: { params: templateParams("x".repeat(65_000), "y".repeat(600)) } },
      }),
      "INVALID_VALUE",
      "65536",
    ],
  ])("POST /outbound-messages/{provider} 400: %s, and nothing is stored", async (_, body, status, words) => {
    const before = await count();
    const response = await post(body);
    expect(response).toMatchObject({ code: 400, status });
    expect(response.message).toContain(words);
    expect(await count()).toBe(before);
  });

  test.each(["+15555550100", "+12025550199", "+442079460123", "+4915112345678"])(
    "POST /outbound-messages/{provider} 202: %s, a number that may be unassigned",
    async (number) => {
      const { request_id } = await sendOutbound(w, outboundRequest({}, [number]));
      expect((await messagesOfRequest(w, request_id)).map(({ to }) => to)).toEqual([[{ phone_number: number }]]);
    },
  );

  test.each([
    ["without a plus", "12025550101"],
    ["with spaces", "+1 202 555 0101"],
    ["with an extension", "+12025550101x5"],
    ["too short", "+1202555010"],
    ["too long", "+120255501010000"],
    ["of no country", "+9991234567890"],
    ["with a national zero", "+4901711234567"],
    ["in other digits", "+١٢٠٢٥٥٥٠١٠١"],
    ["with a line feed", "+12025550101\n"],
    ["no number", "Ada"],
    ["empty", ""],
  ])("POST /outbound-messages/{provider} 400 INVALID_VALUE: a number %s is located by the error", async (_, phone) => {
    const body = outboundRequest({}, [
      RECIPIENT_NUMBERS.delivered,
      RECIPIENT_NUMBERS.other,
      RECIPIENT_NUMBERS.slow,
      phone,
    ]);
    const response = await post(body);
    expect(response).toMatchObject({ code: 400, status: "INVALID_VALUE" });
    expect(response.message).toContain("to[3].phone_number");
    expect((await post({ ...outboundRequest(), from: { phone_number: phone } })).message).toContain(
      "from.phone_number",
    );
  });

  test("POST /outbound-messages/{provider} 400 INVALID_VALUE: a duplicate number", async () => {
    const response = await post(
      outboundRequest({}, [RECIPIENT_NUMBERS.other, RECIPIENT_NUMBERS.slow, RECIPIENT_NUMBERS.other]),
    );
    expect(response).toMatchObject({ code: 400, message: "to[2].phone_number repeats to[0].phone_number" });
  });

  test("POST /outbound-messages/{provider} accepts landline and mobile numbers of all countries", async () => {
    const numbers = ["+442079460123", "+4915112345678", "+390612345678", "+5511912345678", "+819012345678"];
    const { request_id } = await sendOutbound(w, outboundRequest({}, numbers));
    expect(await messagesOfRequest(w, request_id)).toHaveLength(numbers.length);
  });

  test("POST /outbound-messages/{provider} 400 TEMPLATE_NOT_FOUND: another account's template is unknown", async () => {
    await saveTemplate(w, { ...GREETING_TEMPLATE, name: "only_solo" }, "solo");
    const body = outboundRequest(messageTemplate({ ...GREETING_TEMPLATE, name: "only_solo" }));
    expect(await post(body)).toMatchObject({ code: 400, status: "TEMPLATE_NOT_FOUND" });
    const input = { params: { provider: "chatapp" }, body };
    expect(await w.solo.outbound.sendOutboundMessage(input)).toHaveProperty("request_id");
  });

  test("GET and PUT on the path of sending answer 405", async () => {
    for (const method of ["GET", "PUT", "DELETE"]) {
      const reply = await w.raw(method, `${ROUTE}/chatapp`);
      expect([reply.status, reply.headers.get("allow")]).toEqual([405, "POST"]);
    }
    expect((await w.raw("POST", ROUTE, { body: "{}" })).status).toBe(405);
  });
});
