import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { File, Image, MessagePart } from "@parley/contract";
import { statement } from "@parley/database";
import { SERVICE_SCHEMA } from "../../../src/index.ts";
import { firstChannelId } from "../conversations/conversation-fixture.ts";
import { serviceHarness, type ServiceHarness } from "../../service-harness.ts";
import { clientForm, objectsIn } from "./upload-form-builder.ts";
import { plainImage } from "./image-builder.ts";

let w: ServiceHarness;
let channel_id: string;
beforeAll(async () => {
  w = await serviceHarness();
  channel_id = await firstChannelId(w);
});
afterAll(() => w.close());

const file = async (name: string): Promise<File> => {
  const body = clientForm("file", name, "text/plain", `${name}.txt`);
  return (await (await w.raw("POST", "/v2/files/upload", { body })).json()) as File;
};
const image = async (): Promise<Image> => {
  const body = clientForm("image", await plainImage("png"), "image/png", "a.png");
  return (await (await w.raw("POST", "/v2/images/upload", { body })).json()) as Image;
};
const statusOf = async (url: string): Promise<number> => (await fetch(url)).status;
const idIn = (url: string): string => /uploads\/\d+\/([0-9a-f-]{36})/.exec(url)?.[1] ?? "";

const UPLOADS = statement("", "select id, body from uploads");

/** Waits for work in the background. */
const untilGone = async (ids: readonly string[]) => {
  const left = async () => (await objectsIn(w.objectsFolder)).filter((name) => ids.some((id) => name.includes(id)));
  for (let count = 0; count < 400 && (await left()).length > 0; count += 1) await setTimeout(50);
  return left();
};

test("DELETE /users/{user_id} 202: removes the uploads of the user's messages and avatar, and no others", async () => {
  const [portrait, photo, byHash, byUrl, inText, ofAgent, unused] = [
    await image(),
    await image(),
    await file("by-hash"),
    await file("by-url"),
    await file("in-text"),
    await file("of-agent"),
    await file("unused"),
  ];
  const user = await w.client.users.createUser({ body: { avatar: { url: portrait.url } } });
  const message = (message_parts: MessagePart[]) => ({ actor_type: "user" as const, actor_id: user.id, message_parts });
  const { conversation_id } = await w.client.conversations.createConversation({
    body: { channel_id, users: [{ id: user.id }], messages: [message([{ image: { url: photo.thumbnail.url } }])] },
  });
  const params = { conversation_id };
  const say = (part: MessagePart) => w.client.messages.createMessage({ params, body: message([part]) });
  await say({ file: { file_hash: byHash.file_hash } });
  await say({ file: { url: byUrl.url } });
  await say({ text: { content: `look at ${inText.url}, please` } });
  const bot = { actor_type: "bot" as const, message_parts: [{ file: { file_hash: ofAgent.file_hash } }] };
  await w.client.messages.createMessage({ params, body: bot });

  await w.client.users.deleteUser({ params: { user_id: user.id } });
  const gone = [portrait.url, photo.url, photo.thumbnail.url, byHash.url, byUrl.url, inText.url];
  expect(await untilGone(gone.map(idIn))).toEqual([]);
  expect(await Promise.all(gone.map(statusOf))).toEqual(gone.map(() => 404));
  expect(await Promise.all([ofAgent.url, unused.url].map(statusOf))).toEqual([200, 200]);

  const pool = w.database.pool(SERVICE_SCHEMA, { max: 1 });
  const rows = await pool.rows<{ id: string; body: string }>(UPLOADS, []);
  await pool.end();
  expect(rows.map(({ id }) => id).sort()).toEqual([ofAgent.url, unused.url].map(idIn).sort());
  const again = w.raw("POST", `/v2/conversations/${conversation_id}/messages`, {
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ actor_type: "bot", message_parts: [{ file: { file_hash: byHash.file_hash } }] }),
  });
  expect((await again).status).toBe(400);
  expect(w.logLines).toEqual([]);
});

test("DELETE /users/{user_id} removes nothing for a URL without a valid signature", async () => {
  const victim = await file("victim");
  const { origin, pathname } = new URL(victim.url);
  const user = await w.client.users.createUser({ body: {} });
  const forged = { image: { url: `${origin}${pathname}?expires=9999999999&type=text%2Fplain&signature=x` } };
  await w.client.conversations.createConversation({
    body: {
      channel_id,
      users: [{ id: user.id }],
      messages: [{ actor_type: "user", actor_id: user.id, message_parts: [forged] }],
    },
  });
  await w.client.users.deleteUser({ params: { user_id: user.id } });
  const next = await file("next");
  const messenger = await w.client.users.createUser({ body: { avatar: { url: next.url } } });
  await w.client.users.deleteUser({ params: { user_id: messenger.id } });
  // The later work is done, so the earlier work would be too.
  expect(await untilGone([idIn(next.url)])).toEqual([]);
  expect(await statusOf(victim.url)).toBe(200);
});
