import { setTimeout as elapse } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { MessagePart, User } from "@parley/contract";
import fc from "fast-check";
import sharp from "sharp";
import { refusal, scene, type Scene, text } from "../conversations/scene.ts";
import { redaction } from "../../src/users/traces.ts";
import { entityOf, receiver } from "../events/receiver.ts";
import { filesOf, tablesWith } from "./traces.ts";

let s: Scene;
/** Where a subscriber is that does not listen yet. */
let port: number;
beforeAll(async () => {
  s = await scene();
  const away = await receiver();
  await away.close();
  port = away.port;
  await s.admin.subscribe({ account: "acme", name: "away", kind: "app", url: away.url });
});
afterAll(() => s.close());

/** Every text about the user holds it. */
const CANARY = "canary7q";
/** To the sandbox it is one that messages are delivered to. */
const PHONE = "+12025550101";
const PROFILE = {
  first_name: `First ${CANARY}`,
  last_name: `Last-${CANARY}`,
  email: `me@${CANARY}.example`,
  phone: PHONE,
  reference_id: `ref/${CANARY}`,
  avatar: { url: `https://x.example/${CANARY}.png` },
  properties: [{ name: `${CANARY} color`, value: `${CANARY} blue` }],
  social_profiles: [{ id: `@${CANARY}`, type: "twitter" as const }],
};

const url = `https://x.example/${CANARY}`;
const button = { url, label: CANARY, target: "_blank" };
/** What a user can say, of each kind. */
const userParts = (file_hash: string, image: string): MessagePart[] => [
  { text: { content: `I am ${CANARY}` } },
  { image: { url: image } },
  { video: { url, content_type: `video/${CANARY}` } },
  { file: { file_hash } },
  { file: { url, name: CANARY, content_type: "text/plain", file_size_in_bytes: 1 } },
  { url_button: button },
  { collection: { sub_parts: [{ url_button: button }] } },
];
/** What a bot can say of one, of each kind. */
const named = ({ first_name = "", last_name = "", email = "" }: User) => ({
  message_parts: [
    { text: { content: `Hello ${first_name}, is ${email} right? Or ${PHONE}?` } },
    { url_button: { url: `https://x.example/?q=${email}`, label: last_name } },
  ],
  reply_parts: [
    { collection: { sub_parts: [{ quick_reply_button: { label: `Yes, ${first_name}`, payload: last_name } }] } },
    { help_text: { content: first_name, v1_help_text_fragment: { content: last_name } } },
    { text_input: { hint: first_name } },
    {
      template_content: {
        type: "quick_reply_dropdown",
        sections: [
          { name: "options", parts: [{ quick_reply_button: { label: first_name, custom_reply_text: email } }] },
        ],
      },
    },
  ],
  meta_data: { who: { name: [first_name.toUpperCase(), last_name] } },
});

const form = (part: string, content: Blob, name: string) => {
  const body = new FormData();
  body.set(part, content, name);
  return { body };
};
const uploaded = async () => {
  const file = await s.raw(
    "POST",
    "/v2/files/upload",
    form("file", new Blob([`${CANARY} inside`], { type: "text/plain" }), `${CANARY}.txt`),
  );
  const pixels = sharp({ create: { width: 40, height: 30, channels: 3, background: "red" } });
  const png = new Blob([new Uint8Array(await pixels.png().toBuffer())], { type: "image/png" });
  const image = await s.raw("POST", "/v2/images/upload", form("image", png, `${CANARY}.png`));
  return {
    file_hash: ((await file.json()) as { file_hash: string }).file_hash,
    image: ((await image.json()) as { url: string }).url,
  };
};
const send = (to: string) =>
  s.client.outbound.sendOutboundMessage({
    params: { provider: "chatapp" },
    body: {
      from: { phone_number: "+12025550100" },
      provider: "chatapp",
      to: [{ phone_number: to }],
      data: {
        message_template: {
          namespace: "acme_shop",
          template_name: "appointment_reminder",
          storage: "conversation",
          language: { policy: "deterministic", code: "en" },
          rich_template_data: {
            header: { type: "text", params: [{ data: "Friday" }] },
            body: { params: [{ data: CANARY }, { data: "noon" }] },
          },
        },
      },
    },
  });

const until = async (holds: () => Promise<boolean>): Promise<void> => {
  const end = performance.now() + 10_000;
  while (!(await holds())) {
    if (performance.now() > end) throw new Error("not within ten seconds");
    await elapse(25);
  }
};

/** When it is, the queue has made its tables too. */
const delivered = ({ request_id }: { readonly request_id: string }) =>
  until(async () => {
    const { outbound_messages } = await s.client.outbound.listOutboundMessages({ query: { request_id } });
    return outbound_messages.every(({ status }) => status === "Delivered");
  });

/** A user who has left traces wherever the API lets one. */
const known = async () => {
  const { users, messages, conversations, csat } = s.client;
  const user = await users.createUser({ body: { ...PROFILE, first_name: `Formerly ${CANARY}` } });
  const actor = { actor_type: "user" as const, actor_id: user.id };
  const { file_hash, image } = await uploaded();
  const parts = userParts(file_hash, image);
  await delivered(await send(PHONE));
  const begin = async () =>
    (
      await conversations.createConversation({
        body: {
          channel_id: s.channel.id,
          users: [{ id: user.id }],
          messages: [{ ...actor, message_parts: parts, meta_data: { [CANARY]: CANARY } }],
          properties: { cf_notes: `said ${CANARY}`, cf_order_number: CANARY, cf_items: "42", cf_reason: "Order" },
        },
      })
    ).conversation_id;
  const earlier = await begin();
  await users.updateUser({
    params: { user_id: user.id },
    body: { first_name: PROFILE.first_name, email: "x@y.example" },
  });
  await users.updateUser({ params: { user_id: user.id }, body: { email: PROFILE.email } });
  await s.put(earlier, { status: "resolved" });
  const params = { conversation_id: await begin() };
  await messages.createMessage({ params, body: { ...actor, message_parts: parts } });
  for (const by of [{ actor_type: "bot" as const }, { actor_type: "system" as const }]) {
    const { message_parts, reply_parts, meta_data } = named({ ...user, ...PROFILE });
    const body = { ...by, message_parts, meta_data, ...(by.actor_type === "bot" && { reply_parts }) };
    await messages.createMessage({ params, body });
  }
  const agent = { actor_type: "agent" as const, actor_id: s.agent("Maya").id };
  await messages.createMessage({
    params,
    body: { ...agent, message_type: "private", message_parts: text(`formerly Formerly ${CANARY}. Ref/${CANARY}!`) },
  });
  await csat.createCsat({
    params,
    body: { issue_resolved: false, rating: 1, additional_feedback: `${CANARY} is angry` },
  });
  return { user, earlier, conversation_id: params.conversation_id };
};

/** All that the API reads out. */
const readings = async (ids: readonly string[]): Promise<string> => {
  const paths = [
    "/users?created_from=2020-01-01T00:00:00Z&items_per_page=100",
    `/users?phone_no=${encodeURIComponent(PHONE)}`,
    "/outbound-messages?items_per_page=100",
    "/agents?items_per_page=100",
    "/groups",
    "/channels",
    "/roles",
    "/conversations/fields",
    "/accounts/configuration",
    ...ids.flatMap((id) => [`/conversations/${id}`, `/conversations/${id}/messages?items_per_page=50`]),
  ];
  const texts = await Promise.all(paths.map(async (path) => (await s.raw("GET", `/v2${path}`)).text()));
  return texts.join("\n").toLowerCase();
};

describe("DELETE /users/{user_id} leaves no trace of the person", () => {
  test("in tables, objects, answers, log lines and the events that are still to be sent", async () => {
    const { user, earlier, conversation_id } = await known();
    const { restore_id = "", org_contact_id = "" } = user;
    const traces = [CANARY, PHONE, restore_id, org_contact_id];
    expect((await tablesWith(s.database, CANARY)).map((place) => place.split(".")[1])).toEqual([
      "conversation_revisions",
      "conversations",
      "csat",
      "messages",
      "outbound_requests",
      "outbox",
      "uploads",
      "user_revisions",
      "users",
    ]);
    expect((await filesOf(s.objectsFolder)).size).toBe(3);
    expect(await readings([earlier, conversation_id])).toContain(CANARY);

    await s.client.users.deleteUser({ params: { user_id: user.id } });

    expect(await tablesWith(s.database, ...traces)).toEqual([]);
    const answers = await readings([earlier, conversation_id]);
    for (const trace of traces) expect(answers).not.toContain(trace.toLowerCase());
    await until(async () => (await filesOf(s.objectsFolder)).size === 0);
    const host = await receiver(undefined, port);
    await host.until(({ taken }) => taken.filter((event) => entityOf(event) === conversation_id).length >= 5);
    await host.until(({ taken }) => taken.some((event) => entityOf(event) === user.id));
    const told = host.heard.map(({ body }) => body.toLowerCase()).join("\n");
    for (const trace of traces) expect(told).not.toContain(trace.toLowerCase());
    await host.close();
    for (const trace of traces) expect(s.lines.join("\n").toLowerCase()).not.toContain(trace.toLowerCase());
  });

  test("and leaves what the business needs: who spoke when, what was chosen, and others' words around a name", async () => {
    const { user, conversation_id } = await known();
    const before = await s.said(conversation_id);
    await s.client.users.deleteUser({ params: { user_id: user.id } });
    const after = await s.said(conversation_id);
    const frame = before.map(({ message_parts: _p, reply_parts: _r, meta_data: _m, ...rest }) => rest);
    expect(after.map(({ message_parts: _p, reply_parts: _r, meta_data: _m, ...rest }) => rest)).toEqual(frame);
    const [first] = after;
    expect(first).toMatchObject({ actor_type: "user", actor_id: user.id, message_parts: text("") });
    expect(first).not.toHaveProperty("meta_data");
    const bot = after.find(({ actor_type, reply_parts }) => actor_type === "bot" && reply_parts);
    expect(bot).toMatchObject({
      message_parts: [
        { text: { content: "Hello [removed], is [removed] right? Or [removed]?" } },
        { url_button: { url: "https://x.example/?q=[removed]", label: "[removed]" } },
      ],
      meta_data: { who: { name: ["[removed]", "[removed]"] } },
    });
    expect(bot?.reply_parts?.at(-1)?.template_content).toMatchObject({
      type: "quick_reply_dropdown",
      sections: [{ name: "options" }],
    });
    expect(after.at(-1)?.message_parts).toEqual(text("formerly [removed]. [removed]!"));
    expect((await s.get(conversation_id)).properties).toEqual({ priority: "Low", cf_reason: "Order" });
  });

  test("names that are words of the format, or part of other words, spoil nothing", async () => {
    const user = await s.client.users.createUser({ body: { first_name: "Options", last_name: "Al", phone: "a.c (" } });
    const { conversation_id } = await s.client.conversations.createConversation({
      body: {
        channel_id: s.channel.id,
        users: [{ id: user.id }],
        messages: [
          {
            actor_type: "bot",
            message_parts: text("Al, Alan and al. Options? abc (a.c ( ÁAl"),
            reply_parts: [
              {
                template_content: {
                  type: "quick_reply_dropdown",
                  sections: [{ name: "options", parts: [{ quick_reply_button: { label: "Al" } }] }],
                },
              },
            ],
          },
        ],
      },
    });
    await s.client.users.deleteUser({ params: { user_id: user.id } });
    const [message] = await s.said(conversation_id);
    expect(message?.message_parts).toEqual(text("[removed], Alan and [removed]. [removed]? abc ([removed] ÁAl"));
    expect(message?.reply_parts?.[0]?.template_content?.sections[0]?.name).toBe("options");
  });

  test("whatever the user is called", () => {
    const name = fc.oneof(
      fc.string({ unit: "grapheme", maxLength: 40 }),
      fc.string({ unit: fc.constantFrom(..."\\^$.*+?()[]{}|/-&~!#%,;:<=>@`'\"_ aA1é") }),
      fc.constant("x".repeat(1_024)),
    );
    const value = fc.string({ unit: "grapheme", maxLength: 5_000, minLength: 1_000 });
    fc.assert(
      fc.property(name, fc.array(value, { maxLength: 100 }), (first_name, values) => {
        const properties = values.map((each, index) => ({ name: String(index), value: each }));
        const redact = redaction([JSON.stringify({ first_name, properties })]);
        const trace = first_name.trim();
        if (trace.length >= 2) expect(redact(`Hello ${first_name}, welcome`)).not.toContain(` ${trace},`);
      }),
      { numRuns: 60 },
    );
  });

  test("of 2,000 messages, while they are read", async () => {
    const { conversation_id, user_id } = await s.begin();
    const say = (content: string) =>
      s.say(conversation_id, { actor_type: "user", actor_id: user_id, message_parts: text(content) });
    for (let round = 0; round < 20; round += 1)
      await Promise.all(Array.from({ length: 100 }, (_, index) => say(`many7q ${round} ${index}`)));
    const deleting = s.client.users.deleteUser({ params: { user_id } });
    const reading = Promise.all(Array.from({ length: 20 }, () => s.said(conversation_id)));
    await Promise.all([deleting, reading]);
    expect(await tablesWith(s.database, "many7q")).toEqual([]);
    expect(await refusal(say("many7q late"))).toBe("INVALID_ACTOR");
  });

  test("of ratings, properties and names that are on their way", async () => {
    for (let round = 0; round < 5; round += 1) {
      const racer = `racer${round}z`;
      const { conversation_id, user_id } = await s.begin();
      const params = { conversation_id };
      const late = [
        ...Array.from({ length: 10 }, () =>
          s.client.csat.createCsat({ params, body: { issue_resolved: false, additional_feedback: racer } }),
        ),
        ...Array.from({ length: 5 }, () =>
          s.client.users.updateUser({ params: { user_id }, body: { first_name: racer } }),
        ),
        ...Array.from({ length: 5 }, () =>
          s.say(conversation_id, { actor_type: "user", actor_id: user_id, message_parts: text(racer) }),
        ),
      ].map((call) => refusal(call));
      await elapse(round * 3);
      await s.client.users.deleteUser({ params: { user_id } });
      const tokens = new Set(await Promise.all(late));
      for (const token of tokens)
        expect(["no refusal", "USER_NOT_FOUND", "INVALID_ACTOR", "CONFLICT"]).toContain(token);
      expect(await tablesWith(s.database, racer)).toEqual([]);
    }
  });
});
