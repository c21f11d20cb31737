import { channelNumber } from "../directory/channel.ts";
import { interactionIdFrom } from "../conversations/conversation.ts";
import { INITIAL_STATE, type ConversationState } from "../conversations/transitions.ts";
import { messageJson } from "../messages/parts.ts";
import type { LoadAccount } from "./account.ts";
import type { SeededRandom } from "./random.ts";
import { ADDITIONS, QUESTIONS, REPLIES } from "./people-and-words.ts";

/** A generated conversation with its messages, as rows. */
export interface ConversationScript extends ConversationState {
  readonly id: string;
  readonly number: number;
  readonly user_id: string;
  readonly channel_id: string;
  readonly created_time: string;
  readonly updated_time: string;
  readonly interaction_id: string;
  readonly messages: readonly { readonly id: string; readonly created_time: string; readonly body: string }[];
}

interface TalkOptions {
  readonly chance: SeededRandom;
  readonly cast: LoadAccount;
  readonly newId: () => string;
  readonly number: number;
  readonly user_id: string;
  readonly begun: Date;
  /** Latest time of its messages. */
  readonly end: Date;
  /** Number of messages. */
  readonly length: number;
}

type Speaker = "user" | "agent" | "system";

/** Age from which most conversations are resolved. @units milliseconds */
const SETTLED = 3 * 24 * 60 * 60 * 1_000;
/** Time between two messages. @units milliseconds */
const PAUSE = { least: 15_000, most: 20 * 60_000 };
const RESOLUTION = { content: "The conversation was resolved.", meta_data: { isResolved: true } };

/** Old conversations are mostly resolved, recent ones in any state. */
const statusOf = (chance: SeededRandom, age: number, length: number): ConversationState["status"] => {
  const [fresh, assigned] = age > SETTLED ? [0.02, 0.08] : [0.3, 0.75];
  const luck = chance();
  return luck < fresh ? "new" : luck < assigned || length < 2 ? "assigned" : "resolved";
};

const speakerOf = (
  chance: SeededRandom,
  place: number,
  length: number,
  status: ConversationState["status"],
): Speaker => {
  if (status === "resolved" && place === length - 1) return "system";
  return place === 0 || status === "new" || chance() < 0.45 ? "user" : "agent";
};

const wordsOf = (chance: SeededRandom, speaker: Speaker, place: number): string => {
  const said = speaker === "agent" ? REPLIES : place === 0 ? QUESTIONS : ADDITIONS;
  return chance.pick(said).replace("#", String(chance.between(10_000, 99_999)));
};

/** Generates a conversation: a customer asks, an agent answers, and most conversations are resolved. */
export const writeConversationScript = ({
  chance,
  cast,
  newId,
  number,
  user_id,
  begun,
  end,
  length,
}: TalkOptions): ConversationScript => {
  const [id, channel_id] = [newId(), chance.pick(cast.channels)];
  const interaction_id = interactionIdFrom(number, begun);
  const age = end.getTime() - begun.getTime();
  const status = cast.agents.length === 0 ? "new" : statusOf(chance, age, length);
  const agent = status === "new" ? undefined : chance.pick(cast.agents);
  let time = begun;
  const messages = Array.from({ length }, (_, place) => {
    if (place > 0) time = new Date(Math.min(time.getTime() + chance.between(PAUSE.least, PAUSE.most), end.getTime()));
    const created_time = time.toISOString();
    const actor_type = speakerOf(chance, place, length, status);
    const content = actor_type === "system" ? RESOLUTION.content : wordsOf(chance, actor_type, place);
    const message_id = newId();
    const body = messageJson({
      id: message_id,
      created_time,
      channel_id,
      conversation_id: id,
      interaction_id,
      freshchat_conversation_id: String(number),
      freshchat_channel_id: channelNumber(channel_id),
      user_id,
      app_id: cast.appId,
      actor_type,
      ...(actor_type === "user" && { actor_id: user_id }),
      ...(actor_type === "agent" && { actor_id: agent?.id, org_actor_id: agent?.org_id }),
      message_type: actor_type === "system" ? "system" : "normal",
      message_parts: [{ text: { content } }],
      ...(actor_type === "system" && { meta_data: RESOLUTION.meta_data }),
      message_source: actor_type === "system" ? "system" : "api",
      restrictResponse: false,
      botsPrivateNote: false,
      isBotsInput: false,
    });
    return { id: message_id, created_time, body };
  });
  return {
    ...INITIAL_STATE,
    id,
    number,
    user_id,
    channel_id,
    created_time: begun.toISOString(),
    updated_time: time.toISOString(),
    interaction_id,
    messages,
    status,
    assigned_agent_id: agent?.id ?? null,
    assigned_group_id: agent && agent.groups.length > 0 ? chance.pick(agent.groups) : null,
  };
};
