import { describe, expect, test } from "@jest/globals";
import {
  CREATING_ENDPOINTS,
  newIdempotencyKey,
  CREATION_EVENTS,
  withoutSignatures,
  idempotencyHarness,
} from "./idempotency-harness.ts";
import { fileFixture } from "../../../../../test/support/file-fixture.ts";

const w = fileFixture(idempotencyHarness);

describe.each(CREATING_ENDPOINTS)("%s", (route, code, table) => {
  test("repeats the response for the same request with the same key, and creates one object", async () => {
    const [key, creating] = [newIdempotencyKey(), w.creatingRequest(route)];
    const [before, events] = [await w.countRows(table), await w.countRows(CREATION_EVENTS)];
    const first = await w.sendRequest(creating, 1, key);
    expect(first).toMatchObject({ status: code, isReplay: false });
    const eventCount = (await w.countRows(CREATION_EVENTS)) - events;
    for (let time = 0; time < 2; time += 1) {
      const again = await w.sendRequest(creating, 1, key);
      expect(again).toMatchObject({ status: code, isReplay: true });
      expect(withoutSignatures(again.text)).toBe(withoutSignatures(first.text));
      expect(again.headers["content-type"]).toBe(first.headers["content-type"]);
    }
    expect(await w.countRows(table)).toBe(before + 1);
    expect((await w.countRows(CREATION_EVENTS)) - events).toBe(eventCount);
  });

  test("refuses the key with another body, and creates nothing", async () => {
    const [key, creating] = [newIdempotencyKey(), w.creatingRequest(route)];
    await w.sendRequest(creating, 2, key);
    const before = await w.countRows(table);
    expect(await w.sendRequest(creating, 3, key)).toMatchObject({ status: 422, token: "IDEMPOTENCY_KEY_REUSED" });
    expect(await w.countRows(table)).toBe(before);
    expect(await w.sendRequest(creating, 2, key)).toMatchObject({ status: code, isReplay: true });
  });

  test("refuses an invalid key, and creates nothing", async () => {
    const before = await w.countRows(table);
    const refused = await w.sendRequest(w.creatingRequest(route), 4, "two words");
    expect(refused).toMatchObject({ status: 400, token: "INVALID_IDEMPOTENCY_KEY" });
    expect(await w.countRows(table)).toBe(before);
  });

  test("creates an object per request without a key", async () => {
    const [creating, before] = [w.creatingRequest(route), await w.countRows(table)];
    // E-mail addresses of agents are unique.
    for (const nth of [5, 6])
      expect(await w.sendRequest(creating, nth)).toMatchObject({ status: code, isReplay: false });
    expect(await w.countRows(table)).toBe(before + 2);
  });
});

const VISIBLE = Array.from({ length: 94 }, (_, index) => String.fromCharCode(33 + index)).join("");

describe("an idempotency key", () => {
  test.each([
    ["of one character", "k"],
    ["of 255", "k".repeat(255)],
    ["of all that is visible", VISIBLE],
  ])("may be %s", async (_, key) => {
    const creating = w.creatingRequest("POST /users");
    expect(await w.sendRequest(creating, 1, key)).toMatchObject({ status: 201, isReplay: false });
    expect(await w.sendRequest(creating, 1, key)).toMatchObject({ status: 201, isReplay: true });
  });

  test.each([
    ["empty", ""],
    ["of 256 characters", "k".repeat(256)],
    ["with a space", "a b"],
    ["with a tab", "a\tb"],
    ["with a letter outside of ASCII", "kéy"],
    ["in two headers", ["a", "b"]],
  ])("may not be %s", async (_, key) => {
    const refused = await w.sendRequest(w.creatingRequest("POST /users"), 1, key);
    expect(refused).toMatchObject({ status: 400, token: "INVALID_IDEMPOTENCY_KEY" });
  });

  test("belongs to its token", async () => {
    const { token } = await w.admin.issueToken({ account: "acme", name: "another" });
    const [key, creating] = [newIdempotencyKey(), w.creatingRequest("POST /users")];
    const first = await w.sendRequest(creating, 1, key);
    const other = await w.sendRequest(creating, 2, key, { token });
    expect(other).toMatchObject({ status: 201, isReplay: false });
    expect(other.text).not.toBe(first.text);
  });

  test("is valid for one endpoint only", async () => {
    const [key, creating] = [newIdempotencyKey(), w.creatingRequest("POST /conversations/{conversation_id}/messages")];
    await w.sendRequest(creating, 1, key);
    const { conversation_id } = await w.createConversation();
    const elsewhere = { ...creating, path: `/conversations/${conversation_id}/messages` };
    expect(await w.sendRequest(elsewhere, 1, key)).toMatchObject({ status: 422, token: "IDEMPOTENCY_KEY_REUSED" });
  });

  test("can be used again after a refusal of the body or of its references", async () => {
    const [key, creating] = [newIdempotencyKey(), w.creatingRequest("POST /agents")];
    const wrong = { ...creating, body: () => "{" };
    expect(await w.sendRequest(wrong, 0, key)).toMatchObject({ status: 400, token: "INVALID_JSON" });
    const lost = { ...creating, body: () => JSON.stringify({ email: "lost@acme.example", groups: ["nowhere"] }) };
    expect(await w.sendRequest(lost, 0, key)).toMatchObject({ status: 404, token: "GROUP_NOT_FOUND" });
    expect(await w.sendRequest(creating, 700, key)).toMatchObject({ status: 201, isReplay: false });
    expect(await w.sendRequest(creating, 700, key)).toMatchObject({ status: 201, isReplay: true });
  });

  test("gives no access: a revoked token is refused even if a response is stored", async () => {
    const { id, token } = await w.admin.issueToken({ account: "acme", name: "short" });
    const [key, creating] = [newIdempotencyKey(), w.creatingRequest("POST /users")];
    expect(await w.sendRequest(creating, 1, key, { token })).toMatchObject({ status: 201 });
    await w.admin.revokeToken(id);
    const askUntilRefused = async (): Promise<string> => {
      const { token: messages } = await w.sendRequest(creating, 1, key, { token });
      return messages === "" ? askUntilRefused() : messages;
    };
    expect(await askUntilRefused()).toBe("UNAUTHENTICATED");
  });

  test("is ignored by endpoints that create nothing", async () => {
    const path = "/users/fetch";
    const creating = { ...w.creatingRequest("POST /users"), path, body: () => JSON.stringify({ ids: [w.user_id] }) };
    for (const key of ["same", "same", "no key"])
      expect(await w.sendRequest(creating, 0, key)).toMatchObject({ status: 200, isReplay: false });
  });
});

describe("a repeated response", () => {
  test("is the first one, even if the object has changed or was removed", async () => {
    const { conversation_id, user_id } = await w.createConversation();
    const [key, creating] = [newIdempotencyKey(), w.creatingRequest("POST /conversations/{conversation_id}/messages")];
    const byUser = {
      ...creating,
      path: `/conversations/${conversation_id}/messages`,
      body: () =>
        JSON.stringify({ actor_type: "user", actor_id: user_id, message_parts: [{ text: { content: "Hi" } }] }),
    };
    await w.updateConversation(conversation_id, { status: "resolved" });
    const first = await w.sendRequest(byUser, 0, key);
    expect(await w.getConversation(conversation_id)).toMatchObject({ status: "new" });
    await w.updateConversation(conversation_id, { status: "resolved" });
    const again = await w.sendRequest(byUser, 0, key);
    expect(again).toMatchObject({ isReplay: true, text: first.text });
    expect(await w.getConversation(conversation_id)).toMatchObject({ status: "resolved" });
  });

  test("counts towards the rate limit", async () => {
    const [key, creating] = [newIdempotencyKey(), w.creatingRequest("POST /users")];
    const left = async () => Number((await w.sendRequest(creating, 1, key)).headers["x-ratelimit-remaining"]);
    const before = await left();
    expect(await left()).toBe(before - 1);
  });
});
