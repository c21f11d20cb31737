import type { NewMessage } from "@parley/contract";
import type { Directory } from "../accounts/directory.ts";
import { channelNumber } from "../channels/shown.ts";
import type { Draft, Drafts } from "../conversations/draft.ts";
import type { Account } from "../http/slice.ts";
import { type Sender, senderOf } from "./actor.ts";
import { attach, type FilesOf, hasHash } from "./attachments.ts";
import { messageText } from "./body.ts";
import { checkParts } from "./parts.ts";

/** @assumed The words that stand for a resolution and a reopening. */
const TURNS = { isResolved: "The conversation was resolved.", isReopen: "The conversation was reopened." } as const;

/** The message_source of a template message that was sent outside of the conversation. */
export const OUTBOUND_SOURCE = "outbound";

/** @assumed restrictResponse and botsPrivateNote count, and are kept, on a bot's message only. */
const draftOf = (account: Account, given: NewMessage, sender: Sender, message_source: string): Draft => {
  const bot = given.actor_type === "bot";
  const botsPrivateNote = bot ? given.botsPrivateNote : undefined;
  const restrictResponse = bot ? given.restrictResponse : undefined;
  return {
    actor_type: given.actor_type,
    actor_id: sender.actor_id,
    restricts: restrictResponse,
    replyTo: given.in_reply_to?.message_id,
    // Member by member: this is made for each message, and a spread costs more than all the rest of it.
    text: (place) =>
      messageText({
        id: place.id,
        created_time: place.created_time,
        channel_id: place.channel_id,
        conversation_id: place.conversation_id,
        interaction_id: place.interaction_id,
        freshchat_conversation_id: String(place.number),
        freshchat_channel_id: channelNumber(place.channel_id),
        user_id: place.user_id,
        app_id: account.configuration.app_id,
        actor_type: given.actor_type,
        actor_id: sender.actor_id ?? undefined,
        org_actor_id: sender.org_actor_id,
        message_type: botsPrivateNote ? "private" : (given.message_type ?? "normal"),
        message_parts: given.message_parts ?? [],
        reply_parts: given.reply_parts?.length ? given.reply_parts : undefined,
        meta_data: given.meta_data,
        in_reply_to: given.in_reply_to,
        message_source,
        restrictResponse: restrictResponse ?? false,
        botsPrivateNote: botsPrivateNote ?? false,
        isBotsInput: given.actor_type === "user" && given.in_reply_to !== undefined,
      }),
  };
};

/** Checks messages and makes them ready to be placed. */
export const drafts = (directory: Directory, filesOf: FilesOf): Drafts => ({
  async check(account, given) {
    checkParts(given);
    const sender = await senderOf(directory, account.id, given);
    return draftOf(account, hasHash(given) ? await attach(filesOf, account.id, given) : given, sender, "api");
  },
  ofTemplate: (account, { id, message_parts, meta_data }) => ({
    ...draftOf(
      account,
      { actor_type: "bot", message_parts, meta_data: { ...meta_data } },
      { actor_id: null },
      OUTBOUND_SOURCE,
    ),
    id,
  }),
  ofTurn: (account, turn) =>
    draftOf(
      account,
      {
        actor_type: "system",
        message_type: "system",
        message_parts: [{ text: { content: TURNS[turn] } }],
        meta_data: { [turn]: true },
      },
      { actor_id: null },
      "system",
    ),
});
