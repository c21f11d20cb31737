import { createHmac, timingSafeEqual } from "node:crypto";

/** Headers of a signed message, as defined by https://www.standardwebhooks.com. */
export type WebhookHeaders = {
  readonly "webhook-id": string;
  readonly "webhook-timestamp": string;
  readonly "webhook-signature": string;
};

const SECRET_PREFIX = "whsec_";
const VERSION = "v1,";
/** Maximum difference between the clocks of sender and receiver. @units seconds */
const TOLERANCE_SECONDS = 300;

const keyOf = (secret: string): Buffer =>
  Buffer.from(secret.startsWith(SECRET_PREFIX) ? secret.slice(SECRET_PREFIX.length) : secret, "base64");

const digest = (id: string, timestamp: string, body: string, secret: string): Buffer =>
  createHmac("sha256", keyOf(secret)).update(`${id}.${timestamp}.${body}`).digest();

/** Encodes random bytes as a webhook secret. */
export const webhookSecret = (random: Uint8Array): string => SECRET_PREFIX + Buffer.from(random).toString("base64");

/** Signs a body together with its id and time. */
export const signWebhook = (message: {
  readonly id: string;
  readonly timestampSeconds: number;
  readonly body: string;
  readonly secret: string;
  /** Earlier secrets that also sign, for receivers that don't have the current one yet. */
  readonly oldSecrets?: readonly string[];
}): WebhookHeaders => {
  const { id, body, secret, oldSecrets = [] } = message;
  const timestamp = String(message.timestampSeconds);
  const signatures = [secret, ...oldSecrets].map(
    (each) => VERSION + digest(id, timestamp, body, each).toString("base64"),
  );
  return { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": signatures.join(" ") };
};

const textOf = (headers: Readonly<Record<string, unknown>>, name: keyof WebhookHeaders): string => {
  const value = headers[name];
  return typeof value === "string" ? value : "";
};

/**
 * Verifies the signature and the age of a message. Signatures are compared in constant time.
 * @shape `headers` in lower case, as in Node; the signature header can contain several signatures, separated by spaces.
 */
export const verifyWebhook = (message: {
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
  readonly secret: string;
  readonly nowSeconds: number;
  readonly toleranceSeconds?: number;
}): boolean => {
  const { headers, body, secret, nowSeconds, toleranceSeconds = TOLERANCE_SECONDS } = message;
  const id = textOf(headers, "webhook-id");
  const timestamp = textOf(headers, "webhook-timestamp");
  if (id === "" || !/^\d{1,12}$/.test(timestamp)) return false;
  if (Math.abs(nowSeconds - Number(timestamp)) > toleranceSeconds) return false;
  const expected = digest(id, timestamp, body, secret);
  return textOf(headers, "webhook-signature")
    .split(" ")
    .filter((entry) => entry.startsWith(VERSION))
    .map((entry) => Buffer.from(entry.slice(VERSION.length), "base64"))
    .some((received) => received.length === expected.length && timingSafeEqual(received, expected));
};
