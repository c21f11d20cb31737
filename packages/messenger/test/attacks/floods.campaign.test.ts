import { describe, expect, test } from "@jest/globals";
import { LIMITS, MESSENGER_API, MESSENGER_LIMITS, type VisitorSession } from "@parley/contract";
import { newAddress, startAttackedInstance, textMessage, type Answer } from "./attacked-instance.ts";
import { fileFixture } from "../../../../test/support/file-fixture.ts";

/** Visitors who send more than people do, and the other visitors of the account at the same time. */

const instance = fileFixture(startAttackedInstance);

/** Requests at a time. */
const BATCH = 20;

/**
 * Sends requests until the service refuses some. A limit of a minute can begin anew during the flood, but not twice.
 * -> the numbers of admitted requests and the first refusal
 */
const flood = async (limit: number, send: (index: number) => Promise<Answer>) => {
  let admitted = 0;
  for (let sent = 0; sent <= 2 * limit; sent += BATCH) {
    const answers = await Promise.all(Array.from({ length: BATCH }, (_, index) => send(sent + index)));
    const refused = answers.find(({ status }) => status === 429);
    admitted += answers.filter(({ status }) => status < 300).length;
    expect(answers.every(({ status }) => status < 300 || status === 429)).toBe(true);
    if (refused) return { admitted, refused };
  }
  throw new Error(`${admitted} requests were admitted and none was refused.`);
};
const expectRefusal = ({ refused, admitted }: Awaited<ReturnType<typeof flood>>, limit: number, status: string) => {
  expect(refused.body).toMatchObject({ code: 429, status });
  expect(admitted).toBeGreaterThanOrEqual(Math.min(limit, BATCH));
  expect(admitted).toBeLessThanOrEqual(2 * limit);
};
const retryAfterOf = ({ headers }: Answer): number => Number(headers.get("retry-after"));

const begin = (headers: Readonly<Record<string, string>>, account = "acme") =>
  instance.send<VisitorSession>("POST", `${MESSENGER_API}/sessions`, { headers, body: { account } });

describe("messages of one visitor", () => {
  const { messages_per_minute: limit } = MESSENGER_LIMITS;

  test("beyond the limit are refused in all sessions of the visitor, and another visitor writes", async () => {
    const attacker = await instance.begin({ external_id: "flooder" });
    const other = await instance.begin();
    const { id } = await attacker.write("First");
    const restored = await instance.send<VisitorSession>("POST", `${MESSENGER_API}/sessions/restore`, {
      headers: newAddress(),
      body: { account: "acme", external_id: "flooder", restore_id: attacker.visitor.restore_id },
    });
    const tokens = [attacker.token, restored.body.token];
    const result = await flood(limit, (index) =>
      instance.send("POST", `${MESSENGER_API}/conversations/${id}/messages`, {
        token: tokens[index % 2] ?? "",
        body: textMessage(`Buy now ${index}`),
      }),
    );
    expectRefusal(result, limit, "TOO_MANY_REQUESTS");
    expect(retryAfterOf(result.refused)).toBeGreaterThan(0);
    expect(retryAfterOf(result.refused)).toBeLessThanOrEqual(60);
    expect((await other.write("I have a question")).last_message).toMatchObject({
      message_parts: [{ text: { content: "I have a question" } }],
    });
  });

  test("in as many sessions as the limit are all admitted, so that it is the visitor that is limited", async () => {
    const visitors = await Promise.all(Array.from({ length: limit + 1 }, () => instance.begin()));
    await Promise.all(visitors.map((visitor) => visitor.write("Hello")));
  });
});

describe("requests of one session", () => {
  const { calls_per_minute: limit } = MESSENGER_LIMITS;

  test("beyond the limit are refused, and another visitor reads and writes", async () => {
    const attacker = await instance.begin();
    const other = await instance.begin();
    const result = await flood(limit, () => attacker.call("GET", "/conversations"));
    expectRefusal(result, limit, "TOO_MANY_REQUESTS");
    expect(retryAfterOf(result.refused)).toBeGreaterThan(0);
    expect((await other.call("GET", "/conversations")).status).toBe(200);
    await other.write("Hello");
  });

  test("that report typing beyond the limit are refused, and the report of another visitor is admitted", async () => {
    const [attacker, other] = [await instance.begin(), await instance.begin()];
    const [own, others] = [await attacker.write("Hello"), await other.write("Hello")];
    const report = (index: number) =>
      attacker.call("PUT", `/conversations/${own.id}/activity`, { is_typing: index % 2 === 0 });
    expectRefusal(await flood(limit, report), limit, "TOO_MANY_REQUESTS");
    const { status } = await other.call("PUT", `/conversations/${others.id}/activity`, { is_typing: true });
    expect(status).toBe(204);
  });
});

test("streams of one visitor beyond the limit are refused, and another visitor opens one", async () => {
  const stopping = new AbortController();
  const open = (token: string) =>
    fetch(`${instance.origin}${MESSENGER_API}/stream`, {
      headers: { authorization: `Bearer ${token}` },
      signal: stopping.signal,
    });
  const [attacker, other] = [await instance.begin(), await instance.begin()];
  const replies = await Promise.all(Array.from({ length: 12 }, () => open(attacker.token)));
  const refused = replies.filter(({ status }) => status === 429);
  expect(replies.filter(({ status }) => status === 200)).toHaveLength(8);
  expect(await refused[0]?.json()).toMatchObject({ status: "TOO_MANY_STREAMS" });
  expect((await open(other.token)).status).toBe(200);
  stopping.abort();
});

describe("uploads", () => {
  const { upload_bytes_per_visitor_day: quota } = MESSENGER_LIMITS;
  const largest = new Blob([Buffer.alloc(LIMITS.file_bytes)]);
  const form = (content: Blob) => {
    const body = new FormData();
    body.set("file", content, "zeros.bin");
    return body;
  };

  test("of one visitor beyond the quota of a day are refused in all sessions, and another visitor uploads", async () => {
    const [attacker, other] = [await instance.begin({ external_id: "uploader" }), await instance.begin()];
    const count = Math.floor(quota / LIMITS.file_bytes);
    for (let index = 0; index < count; index++)
      expect((await attacker.call("POST", "/files", form(largest))).status).toBe(201);
    const restored = await instance.send<VisitorSession>("POST", `${MESSENGER_API}/sessions/restore`, {
      headers: newAddress(),
      body: { account: "acme", external_id: "uploader", restore_id: attacker.visitor.restore_id },
    });
    for (const token of [attacker.token, restored.body.token]) {
      const { body } = await instance.send("POST", `${MESSENGER_API}/files`, { token, body: form(new Blob(["x"])) });
      expect(body).toMatchObject({ code: 429, status: "UPLOAD_QUOTA_EXCEEDED" });
    }
    expect((await other.call("POST", "/files", form(largest))).status).toBe(201);
    await attacker.write("Texts are still sent");
  });
});

describe("sessions", () => {
  const { sessions_per_address_hour: limit, sessions_per_account_minute } = MESSENGER_LIMITS;

  test("that one address begins beyond the limit are refused, and another address begins one", async () => {
    const address = newAddress();
    const result = await flood(limit, () => begin(address));
    expectRefusal(result, limit, "TOO_MANY_REQUESTS");
    expect(retryAfterOf(result.refused)).toBeGreaterThan(0);
    expect((await begin(newAddress())).status).toBe(201);
  });

  test("of one network of IPv6 are those of one address: its holder has as many addresses as it wants", async () => {
    const result = await flood(limit, (index) => begin({ "x-forwarded-for": `2001:db8:0:1::${index + 1}` }));
    expectRefusal(result, limit, "TOO_MANY_REQUESTS");
    expect((await begin({ "x-forwarded-for": "2001:db8:0:2::1" })).status).toBe(201);
  });

  test("that name an address in a header get no other limit without a proxy that the operator names", async () => {
    // The proxy of the instance is this machine; what precedes its entry is the client's own claim.
    const { "x-forwarded-for": real } = newAddress();
    const claim = (index: number) => ({ "x-forwarded-for": `203.0.113.${index % 250}, ${real}` });
    expectRefusal(await flood(limit, (index) => begin(claim(index))), limit, "TOO_MANY_REQUESTS");
  });

  // The last one: until the minute has passed no other session begins in the account.
  test("from many addresses are limited for their account only, and visitors with a session write", async () => {
    const visitor = await instance.begin();
    const result = await flood(sessions_per_account_minute, () => begin(newAddress()));
    expectRefusal(result, sessions_per_account_minute, "TOO_MANY_REQUESTS");
    expect((await begin(newAddress(), "solo")).status).toBe(201);
    await visitor.write("Hello");
  });
});
