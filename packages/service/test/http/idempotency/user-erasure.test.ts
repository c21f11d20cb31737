import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { File, Image, Message, User } from "@parley/contract";
import { clientForm } from "../../messaging/uploads/upload-form-builder.ts";
import { tablesWith } from "../../messaging/users/personal-data-search.ts";
import {
  newIdempotencyKey,
  idempotencyHarness,
  type CreatingRequest,
  type IdempotencyHarness,
} from "./idempotency-harness.ts";

let w: IdempotencyHarness;
beforeAll(async () => {
  w = await idempotencyHarness();
});
afterAll(() => w.close());

const CANARY = "canarybird";

/** Creates every kind of object for a user, each with a key, and deletes the user. */
const removed = async () => {
  const sent = new Map<string, { maker: CreatingRequest; key: string }>();
  const make = async <T>(route: string, body: unknown, path?: string): Promise<T> => {
    const found = w.creatingRequest(route);
    const printed = typeof body === "string" || Buffer.isBuffer(body) ? body : JSON.stringify(body);
    const creating = { ...found, path: path ?? found.path, body: () => printed };
    const key = newIdempotencyKey();
    sent.set(route, { maker: creating, key });
    const reply = await w.sendRequest(creating, 0, key);
    expect(reply).toMatchObject({ status: creating.code, isReplay: false });
    return JSON.parse(reply.text) as T;
  };
  const { id } = await make<User>("POST /users", { first_name: CANARY, email: `${CANARY}@example.com` });
  const file = await make<File>("POST /files/upload", w.creatingRequest("POST /files/upload").body(1));
  const image = await make<Image>("POST /images/upload", w.creatingRequest("POST /images/upload").body(1));
  const messageBody = (content: string) => ({
    actor_type: "user",
    actor_id: id,
    message_parts: [{ text: { content } }],
  });
  const { conversation_id } = await make<{ conversation_id: string }>("POST /conversations", {
    channel_id: w.channel.id,
    users: [{ id }],
    messages: [
      {
        ...messageBody(CANARY),
        message_parts: [{ file: { file_hash: file.file_hash } }, { image: { url: image.url } }],
      },
      messageBody(`I am ${CANARY}`),
    ],
  });
  const messages = "POST /conversations/{conversation_id}/messages";
  const path = `/conversations/${conversation_id}/messages`;
  const message = await make<Message>(messages, messageBody(`still ${CANARY}`), path);
  const rating = { issue_resolved: true, rating: 1, additional_feedback: `Yours, ${CANARY}` };
  await make("POST /csat/{conversation_id}", rating, `/csat/${conversation_id}`);
  await w.client.users.deleteUser({ params: { user_id: id } });
  return { sent, message };
};

let erased: Awaited<ReturnType<typeof removed>>;
beforeAll(async () => {
  erased = await removed();
});

test.each([
  ["POST /users 410 KEPT_ANSWER_REMOVED after the user was deleted", "POST /users"],
  ["POST /conversations 410 KEPT_ANSWER_REMOVED after its user was deleted", "POST /conversations"],
  ["POST /csat/{conversation_id} 410 KEPT_ANSWER_REMOVED after the user was deleted", "POST /csat/{conversation_id}"],
  ["POST /images/upload 410 KEPT_ANSWER_REMOVED after the user who sent it was deleted", "POST /images/upload"],
  ["POST /files/upload 410 KEPT_ANSWER_REMOVED after the user who sent it was deleted", "POST /files/upload"],
])("%s, and nothing is created", async (_, route) => {
  const { maker: creating, key } = erased.sent.get(route) ?? { maker: w.creatingRequest(route), key: "" };
  const before = await w.countRows(creating.table);
  expect(await w.sendRequest(creating, 0, key)).toMatchObject({ status: 410, token: "KEPT_ANSWER_REMOVED" });
  // The fingerprint was deleted too, since it depends on the texts.
  const other = route.endsWith("upload")
    ? w.creatingRequest(route)
    : { ...creating, body: () => creating.body(0).toString() + " " };
  expect(await w.sendRequest(other, 2, key)).toMatchObject({ status: 410 });
  expect(await w.countRows(creating.table)).toBe(before);
});

test("the repeated response to a message contains what remains of the message", async () => {
  const { maker: creating, key } = erased.sent.get("POST /conversations/{conversation_id}/messages") ?? {};
  if (!creating) throw new Error("no message was sent");
  const again = await w.sendRequest(creating, 0, key);
  expect(again).toMatchObject({ status: 200, isReplay: true });
  const stored = JSON.parse(again.text) as Message;
  expect(stored).toMatchObject({ id: erased.message.id, message_parts: [{ text: { content: "" } }] });
});

test("no table contains anything of the user", async () => {
  expect(await tablesWith(w.database, CANARY)).toEqual([]);
});

test("an upload without a deleted user's reference is answered as before", async () => {
  const body = clientForm("file", "kept", "text/plain", "kept.txt");
  const headers = { "idempotency-key": newIdempotencyKey() };
  const first = (await (await w.raw("POST", "/v2/files/upload", { body, headers })).json()) as File;
  const reply = await w.raw("POST", "/v2/files/upload", { body, headers });
  expect(reply.headers.get("idempotency-replayed")).toBe("true");
  expect(await reply.json()).toMatchObject({ file_hash: first.file_hash });
});
