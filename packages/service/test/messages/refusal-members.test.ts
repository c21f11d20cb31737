import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { serviceHarness, type ServiceHarness } from "../service-harness.ts";

let w: ServiceHarness;
beforeAll(async () => {
  w = await serviceHarness();
});
afterAll(() => w.close());

const UNKNOWN_ID = "00000000-0000-0000-0000-000000000000";
const MESSAGES = `/v2/conversations/${UNKNOWN_ID}/messages`;
const bot = { actor_type: "bot", message_parts: [{ text: { content: "Hi" } }] };
const CASES: [why: string, path: string, body: string, token: string | undefined, code: number, category: string][] = [
  ["the conversation is unknown", MESSAGES, JSON.stringify(bot), undefined, 404, "COMMON"],
  ["a member is missing", MESSAGES, "{}", undefined, 400, "COMMON"],
  ["the body is no JSON", MESSAGES, "{", undefined, 400, "COMMON"],
  ["the token is unknown", MESSAGES, JSON.stringify(bot), "nobody's", 401, "ACCOUNT"],
  ["one of a new conversation's members is missing", "/v2/conversations", "{}", undefined, 400, "COMMON"],
];

describe("a message that can't be added is refused with its own members beside the common ones", () => {
  test.each(CASES)("because %s", async (_, path, body, token, code, category) => {
    const headers = { "content-type": "application/json", ...(token && { authorization: `Bearer ${token}` }) };
    const response = await w.raw("POST", path, { headers, body });
    const messages = (await response.json()) as { message: string };
    expect(messages).toEqual({
      code,
      status: expect.any(String),
      message: expect.any(String),
      error_code: code,
      error_message: messages.message,
      error_category: category,
    });
  });

  test("a refusal without own members omits them", async () => {
    const response = await w.raw("GET", `/v2/conversations/${UNKNOWN_ID}`);
    expect(Object.keys((await response.json()) as object)).toEqual(["code", "status", "message"]);
  });
});
