import type { MessengerConversation, MessengerMessage } from "@parley/contract";
import type { PanelState } from "../panel-model.ts";
import type { Store } from "../store.ts";
import { changeConversation, withConversation, withMessage, withTyping } from "../threads/panel-state.ts";
import type { LiveItem } from "./live-stream.ts";

interface ApplyItemsDeps {
  readonly state: Store<PanelState>;
  /** Whether an own message is shown later. */
  readonly hold: (message: MessengerMessage) => boolean;
  readonly withRead: (conversation: MessengerConversation) => MessengerConversation;
  readonly onChange: () => void;
  /** A message of a conversation that the panel doesn't know. */
  readonly onUnknownConversation: () => void;
  readonly onReceived: (message: MessengerMessage) => void;
  readonly onResolved: (conversation: MessengerConversation) => void;
  readonly onAgentRead: (conversationId: string, time: string) => void;
}

/** Received messages that are remembered, so that each is reported once. */
const REMEMBERED_IDS = 200;

/** Applies events of the stream to the state. */
export const createApplyItems = (deps: ApplyItemsDeps): ((items: readonly LiveItem[]) => void) => {
  const { state, hold, withRead, onChange, onUnknownConversation, onReceived, onResolved, onAgentRead } = deps;
  const received = new Set<string>();
  const find = (id: string) => state.get().conversations.find((each) => each.id === id);

  const applyMessage = (message: MessengerMessage): void => {
    onChange();
    if (hold(message)) return;
    if (!find(message.conversation_id)) onUnknownConversation();
    state.update((current) => withMessage(current, message, true));
    if (message.actor.type === "user" || received.has(message.id)) return;
    received.add(message.id);
    const [oldest] = received;
    if (received.size > REMEMBERED_IDS && oldest !== undefined) received.delete(oldest);
    onReceived(message);
  };

  const applyConversation = (conversation: MessengerConversation): void => {
    const before = find(conversation.id);
    onChange();
    state.update((current) => withConversation(current, withRead(conversation)));
    if (before && before.status !== "resolved" && conversation.status === "resolved") onResolved(conversation);
  };

  return (items) => {
    for (const { item } of items) {
      if (item.event === "message") applyMessage(item.data.message);
      else if (item.event === "conversation") applyConversation(item.data.conversation);
      else if (item.event === "typing") state.update((current) => withTyping(current, item.data));
      else if (item.event === "read") {
        const { conversation_id, agent_read_time } = item.data;
        state.update((current) =>
          changeConversation(current, conversation_id, (each) => ({ ...each, agent_read_time })),
        );
        onAgentRead(conversation_id, agent_read_time);
      }
    }
  };
};
