import type { MessagePart, User } from "@parley/contract";
import { statement } from "@parley/database";
import sharp from "sharp";
import { SERVICE_SCHEMA } from "../../../src/index.ts";
import { type ConversationsHarness, textParts } from "../conversations/conversations-harness.ts";
import { waitUntil } from "../../../../../test/support/wait-until.ts";

/** Part of every text about the user. */
export const USER_CANARY = "canary7q";
/** A number to which the sandbox delivers messages. */
export const USER_PHONE = "+12025550101";
const PROFILE = {
  first_name: `First ${USER_CANARY}`,
  last_name: `Last-${USER_CANARY}`,
  email: `me@${USER_CANARY}.example`,
  phone: USER_PHONE,
  reference_id: `ref/${USER_CANARY}`,
  avatar: { url: `https://x.example/${USER_CANARY}.png` },
  properties: [{ name: `${USER_CANARY} color`, value: `${USER_CANARY} blue` }],
  social_profiles: [{ id: `@${USER_CANARY}`, type: "twitter" as const }],
};

const url = `https://x.example/${USER_CANARY}`;
const button = { url, label: USER_CANARY, target: "_blank" };
/** Message parts of each kind that a user can send. */
const userParts = (file_hash: string, image: string): MessagePart[] => [
  { text: { content: `I am ${USER_CANARY}` } },
  { image: { url: image } },
  { video: { url, content_type: `video/${USER_CANARY}` } },
  { file: { file_hash } },
  { file: { url, name: USER_CANARY, content_type: "text/plain", file_size_in_bytes: 1 } },
  { url_button: button },
  { collection: { sub_parts: [{ url_button: button }] } },
];
/** Message parts of each kind in which a bot can name a user. */
const named = ({ first_name = "", last_name = "", email = "" }: User) => ({
  message_parts: [
    { text: { content: `Hello ${first_name}, is ${email} right? Or ${USER_PHONE}?` } },
    { url_button: { url: `https://x.example/?q=${email}`, label: last_name } },
  ],
  reply_parts: [
    { collection: { sub_parts: [{ quick_reply_button: { label: `Yes, ${first_name}`, payload: last_name } }] } },
    { help_text: { content: first_name, v1_help_text_fragment: { content: last_name } } },
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
const uploaded = async (s: ConversationsHarness) => {
  const file = await s.raw(
    "POST",
    "/v2/files/upload",
    form("file", new Blob([`${USER_CANARY} inside`], { type: "text/plain" }), `${USER_CANARY}.txt`),
  );
  const pixels = sharp({ create: { width: 40, height: 30, channels: 3, background: "red" } });
  const png = new Blob([new Uint8Array(await pixels.png().toBuffer())], { type: "image/png" });
  const image = await s.raw("POST", "/v2/images/upload", form("image", png, `${USER_CANARY}.png`));
  return {
    file_hash: ((await file.json()) as { file_hash: string }).file_hash,
    image: ((await image.json()) as { url: string }).url,
  };
};
const send = (s: ConversationsHarness) =>
  s.client.outbound.sendOutboundMessage({
    params: { provider: "chatapp" },
    body: {
      from: { phone_number: "+12025550100" },
      provider: "chatapp",
      to: [{ phone_number: USER_PHONE }],
      data: {
        message_template: {
          namespace: "acme_shop",
          template_name: "appointment_reminder",
          storage: "conversation",
          language: { policy: "deterministic", code: "en" },
          rich_template_data: {
            header: { type: "text", params: [{ data: "Friday" }] },
            body: { params: [{ data: USER_CANARY }, { data: "noon" }] },
          },
        },
      },
    },
  });

/** Afterwards the queue's tables exist too. */
const delivered = (s: ConversationsHarness, { request_id }: { readonly request_id: string }) =>
  waitUntil(async () => {
    const { outbound_messages } = await s.client.outbound.listOutboundMessages({ query: { request_id } });
    return outbound_messages.every(({ status }) => status === "Delivered");
  });

const DRAFT = statement(
  "",
  `insert into drafts (account_id, agent_id, conversation_id, text, is_private, parts, updated_time)
   select account_id, $1, id, $3, false, '[]', now() from conversations where id = $2`,
);

const PAGE = statement(
  "",
  `insert into visitor_pages (conversation_id, account_id, user_id, title, seen_time)
   select id, account_id, user_id, $2, now() from conversations where id = $1`,
);

/**
 * What an agent has begun to write in the console, as a process of the previous release stores it: a trigger copies it. And the page that the
 * user wrote from, as the messenger stores it.
 */
const addDraftAndPage = async (s: ConversationsHarness, conversationId: string): Promise<void> => {
  const pool = s.database.pool(SERVICE_SCHEMA, { max: 1 });
  await pool.rows(DRAFT, [s.agentNamed("Maya").id, conversationId, `Dear ${USER_CANARY}`]);
  await pool.rows(PAGE, [conversationId, `Orders of ${USER_CANARY}`]);
  await pool.end();
};

/** Creates a user whose data is in every place that the API permits. */
export const userDataFixture = async (s: ConversationsHarness) => {
  const { users, messages, conversations, csat } = s.client;
  const user = await users.createUser({ body: { ...PROFILE, first_name: `Formerly ${USER_CANARY}` } });
  const actor = { actor_type: "user" as const, actor_id: user.id };
  const { file_hash, image } = await uploaded(s);
  const parts = userParts(file_hash, image);
  await delivered(s, await send(s));
  const begin = async () =>
    (
      await conversations.createConversation({
        body: {
          channel_id: s.channel.id,
          users: [{ id: user.id }],
          messages: [{ ...actor, message_parts: parts, meta_data: { [USER_CANARY]: USER_CANARY } }],
          properties: {
            cf_notes: `said ${USER_CANARY}`,
            cf_order_number: USER_CANARY,
            cf_items: "42",
            cf_reason: "Order",
          },
        },
      })
    ).conversation_id;
  const earlier = await begin();
  await users.updateUser({
    params: { user_id: user.id },
    body: { first_name: PROFILE.first_name, email: "x@y.example" },
  });
  await users.updateUser({ params: { user_id: user.id }, body: { email: PROFILE.email } });
  await s.updateConversation(earlier, { status: "resolved" });
  const params = { conversation_id: await begin() };
  await messages.createMessage({ params, body: { ...actor, message_parts: parts } });
  for (const by of [{ actor_type: "bot" as const }, { actor_type: "system" as const }]) {
    const { message_parts, reply_parts, meta_data } = named({ ...user, ...PROFILE });
    const body = { ...by, message_parts, meta_data, ...(by.actor_type === "bot" && { reply_parts }) };
    await messages.createMessage({ params, body });
  }
  const agent = { actor_type: "agent" as const, actor_id: s.agentNamed("Maya").id };
  await messages.createMessage({
    params,
    body: {
      ...agent,
      message_type: "private",
      message_parts: textParts(`formerly Formerly ${USER_CANARY}. Ref/${USER_CANARY}!`),
    },
  });
  await csat.createCsat({
    params,
    body: { issue_resolved: false, rating: 1, additional_feedback: `${USER_CANARY} is angry` },
  });
  await addDraftAndPage(s, params.conversation_id);
  return { user, earlier, conversation_id: params.conversation_id };
};
