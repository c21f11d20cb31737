import type { MessagePart, NewMessage } from "@parley/contract";
import { client } from "../session/session.ts";
import { errorText } from "../ui/error-text.ts";
import type { PendingMessage } from "./pending.ts";
import { loadThread } from "./thread-loading.ts";
import { hasUnsent, withSent, type Thread, type ThreadState } from "./thread-store.ts";

/** What the composer hands over. */
export interface OutgoingContent {
  readonly text: string;
  readonly parts: readonly MessagePart[];
  readonly isPrivate: boolean;
}

/** The service takes a file by its hash alone. */
const sendable = (part: MessagePart): MessagePart =>
  part.file?.file_hash === undefined ? part : { file: { file_hash: part.file.file_hash } };

export const messageOf = ({ text, parts, isPrivate }: OutgoingContent, agentId: string): NewMessage => ({
  actor_type: "agent",
  actor_id: agentId,
  message_type: isPrivate ? "private" : "normal",
  message_parts: [...(text === "" ? [] : [{ text: { content: text } }]), ...parts],
});

const keyOf = (): string => `console-${Date.now().toString(36)}-${Math.random().toString(36).slice(2, 12)}`;

/** Messages of one conversation are sent one after another, so that they arrive in their order. */
const queues = new Map<string, Promise<unknown>>();

const changePending = (thread: Thread, key: string, change: (pending: PendingMessage) => PendingMessage): void =>
  thread.update((state) => ({
    ...state,
    pending: state.pending.map((each) => (each.key === key ? change(each) : each)),
  }));

const attempt = async (id: string, thread: Thread, { key, message }: PendingMessage): Promise<boolean> => {
  try {
    const sent = await client.messages.createMessage({
      params: { conversation_id: id },
      body: { ...message, message_parts: message.message_parts?.map(sendable) ?? [] },
      idempotencyKey: key,
    });
    thread.update((state) => withSent(state, key, sent));
    return true;
  } catch (error) {
    changePending(thread, key, (pending) => ({ ...pending, error: errorText(error) }));
    return false;
  }
};

const enqueue = (id: string, thread: Thread, pending: PendingMessage): Promise<boolean> => {
  const sent = (queues.get(id) ?? Promise.resolve()).then(() => attempt(id, thread, pending));
  queues.set(id, sent);
  void sent.finally(() => queues.get(id) === sent && queues.delete(id));
  return sent;
};

const withPending = (state: ThreadState, pending: PendingMessage): ThreadState => ({
  ...state,
  pending: [...state.pending, pending],
  isAtEnd: true,
});

/** Shows a message at once and sends it. -> whether it was sent; one that was not stays in the thread with the reason */
export const sendMessage = (
  id: string,
  thread: Thread,
  content: OutgoingContent,
  agentId: string,
): Promise<boolean> => {
  const pending: PendingMessage = {
    key: keyOf(),
    message: messageOf(content, agentId),
    created_time: new Date(Date.now()).toISOString(),
  };
  thread.update((state) => withPending(state, pending));
  // The agent sees what was sent: at the newest messages.
  if (thread.get().hasNewer) void loadThread(id, thread);
  return enqueue(id, thread, pending);
};

/** Sends a failed message again. It has the same key: one that arrived after all is not sent twice. */
export const sendAgain = (id: string, thread: Thread, key: string): void => {
  const pending = thread.get().pending.find((each) => each.key === key);
  if (!pending) return;
  const { error: _error, ...waiting } = pending;
  changePending(thread, key, () => waiting);
  void enqueue(id, thread, waiting);
};

/** Removes a failed message. */
export const discardPending = (thread: Thread, key: string): void =>
  thread.update((state) => ({ ...state, pending: state.pending.filter((each) => each.key !== key) }));

addEventListener("beforeunload", (event) => {
  if (hasUnsent()) event.preventDefault();
});
