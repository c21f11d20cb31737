import {
  AGENT_NOT_FOUND,
  FORBIDDEN,
  INVALID_ACTOR,
  type NewMessage,
  refuse,
  INVALID_MESSAGE_PARTS,
  type MessagePart,
} from "@parley/contract";
import type { Directory } from "../directory/directory.ts";
import { channelNumber } from "../directory/channel.ts";
import type { TemplateMessage, UnsavedMessage } from "./unsaved-message.ts";
import type { CallerAccount, CallerAgent } from "../../http/route-handlers.ts";
import { messageJson, checkMessageParts } from "./message-parts.ts";

type FilePart = NonNullable<MessagePart["file"]>;

/** -> the account's uploaded files by file_hash, in the form of message parts; unknown hashes are missing */
export type FilesOf = (accountId: number, hashes: readonly string[]) => Promise<ReadonlyMap<string, FilePart>>;

interface MessageWithParts {
  readonly message_parts?: MessagePart[] | undefined;
}

/** Whether any part refers to an upload. */
const hasHash = ({ message_parts = [] }: MessageWithParts): boolean =>
  message_parts.some(({ file }) => file?.file_hash !== undefined);

/**
 * Replaces each file part that has a file_hash by the uploaded file. Other members of such a part are ignored.
 * @errors INVALID_MESSAGE_PARTS for a hash that names no file of the account
 */
const attach = async <T extends MessageWithParts>(filesOf: FilesOf, accountId: number, input: T): Promise<T> => {
  const { message_parts: parts = [] } = input;
  const files = await filesOf(
    accountId,
    parts.flatMap(({ file }) => file?.file_hash ?? []),
  );
  const message_parts = parts.map((part, index): MessagePart => {
    const hash = part.file?.file_hash;
    if (hash === undefined) return part;
    const file = files.get(hash);
    return file
      ? { file }
      : refuse(INVALID_MESSAGE_PARTS, `message_parts[${index}].file.file_hash names no uploaded file of this account.`);
  });
  return { ...input, message_parts };
};

/** Creates unsaved messages. */
export interface MessageComposer {
  /**
   * Validates a message of a request.
   * @shape agent: that of a session, which adds messages of its own agent only
   * @errors INVALID_MESSAGE_PARTS, INVALID_ACTOR, AGENT_NOT_FOUND, FORBIDDEN
   */
  compose(account: CallerAccount, input: NewMessage, agent?: Pick<CallerAgent, "id">): Promise<UnsavedMessage>;
  /** The system message about a resolution or a reopening. */
  composeStatusMessage(account: CallerAccount, statusMessage: "isResolved" | "isReopen"): UnsavedMessage;
  /** A template message that the user replies to. */
  composeTemplateMessage(account: CallerAccount, message: TemplateMessage): UnsavedMessage;
}

/** The stored and reported sender of a message. */
interface Sender {
  readonly actor_id: string | null;
  readonly org_actor_id?: string | undefined;
}

/** @assumed A user's message is normal, the system's never private; a bot's and the system's actor_id are dropped. */
const KINDS = {
  user: ["normal"],
  agent: ["normal", "private", "system"],
  bot: ["normal", "private", "system"],
  system: ["normal", "system"],
} as const satisfies Record<NewMessage["actor_type"], readonly NonNullable<NewMessage["message_type"]>[]>;

/**
 * Determines the sender. Whether a user owns the conversation is checked once the conversation is known.
 * @errors AGENT_NOT_FOUND, INVALID_ACTOR
 */
const senderOf = async (
  directory: Directory,
  accountId: number,
  { actor_type, actor_id, message_type = "normal", user_id }: NewMessage,
): Promise<Sender> => {
  const kinds: readonly string[] = KINDS[actor_type];
  if (!kinds.includes(message_type))
    refuse(INVALID_ACTOR, `The message_type of a message by ${actor_type} must be one of ${kinds.join(", ")}.`);
  if (actor_type === "bot" || actor_type === "system") return { actor_id: null };
  if (!actor_id) return refuse(INVALID_ACTOR, `actor_id is mandatory when actor_type is ${actor_type}.`);
  if (actor_type === "user") {
    if (user_id && user_id.toLowerCase() !== actor_id.toLowerCase())
      refuse(INVALID_ACTOR, "user_id and actor_id of a user's message must be equal.");
    return { actor_id: actor_id.toLowerCase() };
  }
  const agent = await directory.agent(accountId, actor_id);
  if (!agent) return refuse(AGENT_NOT_FOUND, "actor_id names no agent of this account.");
  if (agent.is_deactivated) refuse(INVALID_ACTOR, "actor_id names a deactivated agent.");
  return { actor_id: agent.id, org_actor_id: agent.org_contact_id };
};

/** @errors FORBIDDEN for a session's message that is not by its own agent */
const checkOwnActor = (agent: Pick<CallerAgent, "id"> | undefined, { actor_type, actor_id }: NewMessage): void => {
  if (!agent || (actor_type === "agent" && actor_id?.toLowerCase() === agent.id)) return;
  refuse(FORBIDDEN, `A session adds messages of its own agent only: actor_type must be agent, actor_id ${agent.id}.`);
};

/** @assumed Texts of the system messages about a resolution and a reopening. */
const STATUS_MESSAGE_TEXTS = {
  isResolved: "The conversation was resolved.",
  isReopen: "The conversation was reopened.",
} as const;

/** The message_source of a template message sent outside of the conversation. */
const OUTBOUND_SOURCE = "outbound";

/** @assumed restrictResponse and botsPrivateNote are honored and stored on a bot's message only. */
const unsavedMessageOf = (
  account: CallerAccount,
  input: NewMessage,
  sender: Sender,
  message_source: string,
): UnsavedMessage => {
  const bot = input.actor_type === "bot";
  const botsPrivateNote = bot ? input.botsPrivateNote : undefined;
  const restrictResponse = bot ? input.restrictResponse : undefined;
  return {
    actor_type: input.actor_type,
    actor_id: sender.actor_id,
    restricts: restrictResponse,
    replyTo: input.in_reply_to?.message_id,
    // Members are listed one by one: this runs for each message, and a spread is its dominant cost.
    text: (place) =>
      messageJson({
        id: place.id,
        created_time: place.created_time,
        channel_id: place.channel_id,
        conversation_id: place.conversation_id,
        interaction_id: place.interaction_id,
        freshchat_conversation_id: String(place.number),
        freshchat_channel_id: channelNumber(place.channel_id),
        user_id: place.user_id,
        app_id: account.configuration.app_id,
        actor_type: input.actor_type,
        actor_id: sender.actor_id ?? undefined,
        org_actor_id: sender.org_actor_id,
        message_type: botsPrivateNote ? "private" : (input.message_type ?? "normal"),
        message_parts: input.message_parts ?? [],
        reply_parts: input.reply_parts?.length ? input.reply_parts : undefined,
        meta_data: input.meta_data,
        in_reply_to: input.in_reply_to,
        message_source,
        restrictResponse: restrictResponse ?? false,
        botsPrivateNote: botsPrivateNote ?? false,
        isBotsInput: input.actor_type === "user" && input.in_reply_to !== undefined,
      }),
  };
};

/** Creates the composer of unsaved messages. */
export const createMessageComposer = (directory: Directory, filesOf: FilesOf): MessageComposer => ({
  async compose(account, input, agent) {
    checkOwnActor(agent, input);
    checkMessageParts(input);
    const sender = await senderOf(directory, account.id, input);
    return unsavedMessageOf(account, hasHash(input) ? await attach(filesOf, account.id, input) : input, sender, "api");
  },
  composeTemplateMessage: (account, { id, message_parts, meta_data }) => ({
    ...unsavedMessageOf(
      account,
      { actor_type: "bot", message_parts, meta_data: { ...meta_data } },
      { actor_id: null },
      OUTBOUND_SOURCE,
    ),
    id,
  }),
  composeStatusMessage: (account, statusMessage) =>
    unsavedMessageOf(
      account,
      {
        actor_type: "system",
        message_type: "system",
        message_parts: [{ text: { content: STATUS_MESSAGE_TEXTS[statusMessage] } }],
        meta_data: { [statusMessage]: true },
      },
      { actor_id: null },
      "system",
    ),
});
