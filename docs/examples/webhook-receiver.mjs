#!/usr/bin/env node
/**
 * Receives webhooks, believes those that are signed, and takes each delivery once. Node alone, no packages.
 *
 *   parley webhook add http://localhost:4000/ --json > webhook.json
 *   node docs/examples/webhook-receiver.mjs webhook.json        (PORT: another port than 4000)
 */
import { createHmac, timingSafeEqual, verify } from "node:crypto";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";

const { publicKey, secret } = JSON.parse(await readFile(process.argv[2] ?? "webhook.json", "utf8"));
/** All that 'parley webhook keys' lists, so that a rotation costs nothing. */
const publicKeys = [publicKey];
/** Seconds that the two clocks may be apart. */
const TOLERANCE = 300;

/** X-Freshchat-Signature: RSA with SHA-256 over the body, byte by byte as it came. */
const hasKeysSignature = (bytes, headers) => {
  const signature = Buffer.from(headers["x-freshchat-signature"] ?? "", "base64");
  return publicKeys.some((key) => verify("RSA-SHA256", bytes, key, signature));
};

/** The Standard Webhooks headers: HMAC-SHA256 over id, time and body. This signature also shows that the delivery is recent. */
const hasSecretsSignature = (bytes, headers) => {
  const { "webhook-id": id = "", "webhook-timestamp": time = "", "webhook-signature": given = "" } = headers;
  if (!(Math.abs(Date.now() / 1000 - Number(time)) <= TOLERANCE)) return false;
  const key = Buffer.from(secret.replace(/^whsec_/, ""), "base64");
  const expected = createHmac("sha256", key).update(`${id}.${time}.`).update(bytes).digest();
  return given
    .split(" ")
    .filter((each) => each.startsWith("v1,"))
    .map((each) => Buffer.from(each.slice(3), "base64"))
    .some((each) => each.length === expected.length && timingSafeEqual(each, expected));
};

/** A delivery may come twice, always with the same id. Keep the ids where they outlive the process. */
const taken = new Set();

const receive = (bytes, headers) => {
  if (!hasKeysSignature(bytes, headers) || !hasSecretsSignature(bytes, headers)) return 401;
  const id = headers["webhook-id"];
  if (taken.has(id)) return 200;
  const { action, actor, data } = JSON.parse(bytes);
  console.log(JSON.stringify({ id, action, actor, data: Object.keys(data) }));
  taken.add(id);
  return 200;
};

const server = createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  response.writeHead(receive(Buffer.concat(chunks), request.headers)).end();
});
server.listen(Number(process.env.PORT ?? 4000), "127.0.0.1", () =>
  console.log(`Receiving at http://localhost:${server.address().port}/`),
);
