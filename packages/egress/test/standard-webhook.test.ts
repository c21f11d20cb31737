import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { signWebhook, verifyWebhook, webhookSecret } from "../src/standard-webhook.ts";

const secret = webhookSecret(Buffer.alloc(32, 7));
const message = { id: "msg_1", timestampSeconds: 1_700_000_000, body: '{"a":"ü"}', secret };
const headers = signWebhook(message);
const seen = { headers, body: message.body, secret, nowSeconds: message.timestampSeconds };

describe("a signed webhook", () => {
  test("equals the example of the Standard Webhooks libraries", () => {
    expect(
      signWebhook({
        id: "msg_p5jXN8AQM9LWM0D4loKWxJek",
        timestampSeconds: 1614265330,
        body: '{"test": 2432232314}',
        secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
      }),
    ).toEqual({
      "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
      "webhook-timestamp": "1614265330",
      "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
    });
  });

  test("is signed with each of its secrets, the current one first, and each verifies alone", () => {
    const old = webhookSecret(Buffer.alloc(32, 8));
    const both = signWebhook({ ...message, oldSecrets: [old] });
    const [first, second] = both["webhook-signature"].split(" ");
    expect(first).toBe(headers["webhook-signature"]);
    expect(second).toBe(signWebhook({ ...message, secret: old })["webhook-signature"]);
    for (const one of [secret, old]) expect(verifyWebhook({ ...seen, headers: both, secret: one })).toBe(true);
    const another = webhookSecret(Buffer.alloc(32, 9));
    expect(verifyWebhook({ ...seen, headers: both, secret: another })).toBe(false);
  });

  test.each([
    ["as it was sent", {}, true],
    ["within the tolerance, late", { nowSeconds: message.timestampSeconds + 300 }, true],
    ["within the tolerance, early", { nowSeconds: message.timestampSeconds - 300 }, true],
    ["too late", { nowSeconds: message.timestampSeconds + 301 }, false],
    ["too early", { nowSeconds: message.timestampSeconds - 301 }, false],
    ["later than a tolerance of one's own", { nowSeconds: message.timestampSeconds + 11, toleranceSeconds: 10 }, false],
    ["with another body", { body: '{"a":"u"}' }, false],
    ["with another secret", { secret: webhookSecret(Buffer.alloc(32, 8)) }, false],
    ["under another id", { headers: { ...headers, "webhook-id": "msg_2" } }, false],
    [
      "with a second signature beside",
      { headers: { ...headers, "webhook-signature": `v1,AAAA ${headers["webhook-signature"]}` } },
      true,
    ],
    [
      "with a version that is not known",
      { headers: { ...headers, "webhook-signature": headers["webhook-signature"].replace("v1", "v2") } },
      false,
    ],
    ["with no headers", { headers: {} }, false],
    ["with a timestamp that is not a number", { headers: { ...headers, "webhook-timestamp": "1e9" } }, false],
    [
      "with a list where a text belongs",
      { headers: { ...headers, "webhook-signature": [headers["webhook-signature"]] } },
      false,
    ],
  ])("%s is verified correctly", (_case, change, expected) => {
    expect(verifyWebhook({ ...seen, ...change })).toBe(expected);
  });

  test("verifies for any content, and nothing else verifies", () => {
    fc.assert(
      fc.property(
        fc.uuid(),
        fc.string({ unit: "grapheme" }),
        fc.string(),
        fc.uint8Array({ minLength: 24, maxLength: 64 }),
        (id, body, other, key) => {
          const own = { id, body, timestampSeconds: 1, secret: webhookSecret(key) };
          const input = { headers: signWebhook(own), secret: own.secret, nowSeconds: 1 };
          expect(verifyWebhook({ ...input, body })).toBe(true);
          expect(verifyWebhook({ ...input, body: other })).toBe(other === body);
        },
      ),
    );
  });
});
