import { expect, test } from "@jest/globals";
import {
  createHttpProvider,
  providerRetryAfter,
  retryDelayMs,
  withPauseAfterTimeout,
  type ProviderMessage,
} from "../../../src/messaging/outbound/provider.ts";
import { fakeClock } from "./outbound-fixture.ts";
import { startFakeProvider } from "./fake-provider.ts";

const SECRET = `whsec_${Buffer.alloc(32, 1).toString("base64")}`;
const MESSAGE: ProviderMessage = {
  message_id: "m",
  request_id: "r",
  provider: "chatapp",
  from: { phone_number: "+12025550100" },
  to: { phone_number: "+12025550101" },
  data: { message_template: { template_name: "t", namespace: "n", language: { code: "en" } } },
  rendered: { body: "Hi", buttons: [] },
};
const NOW = new Date("2026-03-01T10:00:00.000Z");
const now = () => NOW;

test.each([
  "https://10.0.0.1/",
  "https://169.254.169.254/latest",
  "https://[fd00::1]/",
  "https://localhost.localdomain./",
])("a provider's address inside a private network is refused: %s", async (url) => {
  const provider = createHttpProvider({ url, secret: SECRET }, { now });
  const sending = await provider.send(MESSAGE, new AbortController().signal);
  expect(sending).toMatchObject({ kind: "refused", failure: { code: "PROVIDER_ADDRESS_REFUSED" } });
  await provider.close();
});

test("work that is stopped throws, so that it is released without counting an attempt", async () => {
  const provider = createHttpProvider({ url: "http://127.0.0.1:9/", secret: SECRET }, { now });
  const stopping = new AbortController();
  stopping.abort(new Error("the service ends"));
  await expect(provider.send(MESSAGE, stopping.signal)).rejects.toThrow("the service ends");
  await provider.close();
});

test("a provider without timely responses is not called for a minute", async () => {
  const time = fakeClock(NOW.getTime());
  const server = await startFakeProvider(time.now);
  const config = { url: server.url, secret: server.secret };
  const provider = withPauseAfterTimeout(createHttpProvider(config, { now: time.now, timeoutMs: 100 }), time);
  const send = () => provider.send(MESSAGE, new AbortController().signal);
  server.replies.push({ status: 503 }, "break", "hang");
  const passing = { kind: "again", isSilent: false };
  expect([await send(), await send()]).toMatchObject([{ kind: "again" }, passing]);
  expect(await send()).toMatchObject({ kind: "again", isSilent: true });
  time.advance(20_000);
  expect(await send()).toMatchObject({ kind: "later", afterMs: 40_000 });
  expect(server.requests).toHaveLength(3);
  time.advance(40_000);
  expect(await send()).toMatchObject({ kind: "taken" });
  await provider.close();
  await server.close();
});

test.each([
  [undefined, undefined],
  ["", undefined],
  ["soon", undefined],
  ["-5", undefined],
  ["0", 0],
  ["120", 120_000],
  ["Sun, 01 Mar 2026 10:05:00 GMT", 300_000],
  ["Sun, 01 Mar 2026 09:00:00 GMT", 0],
])("Retry-After %j is %j milliseconds", (header, ms) => {
  expect(providerRetryAfter(header, NOW)).toBe(ms);
});

test("delays increase, are extended but not shortened by the provider, and are limited", () => {
  const pauses = [1, 2, 3, 4, 5].map((tries) => retryDelayMs(tries) ?? 0);
  expect(pauses).toEqual(pauses.toSorted((a, b) => a - b));
  expect(retryDelayMs(6)).toBeUndefined();
  expect(retryDelayMs(1, 60_000)).toBe(60_000);
  expect(retryDelayMs(3, 1)).toBe(pauses[2]);
  expect(retryDelayMs(1, 1e12)).toBe(24 * 3_600_000);
});
