import type { MessagePart, NewMessage } from "@parley/contract";
import { client, isLeavingPage } from "../session/session.ts";
import { errorText } from "../ui/error-text.ts";
import { dropUnsaved, keepUnsaved, onOtherTabUnsaved, unsavedAt, unsavedPlaces } from "../unsaved/unsaved-store.ts";
import { threadMessages as texts } from "./messages.ts";
import type { PendingMessage } from "./pending.ts";
import { loadThread } from "./thread-loading.ts";
import { hasUnsent, knownThread, openThread, withSent, type Thread, type ThreadState } from "./thread-store.ts";

/** Message of the composer. */
interface OutgoingContent {
  readonly text: string;
  readonly parts: readonly MessagePart[];
  readonly isPrivate: boolean;
}

/** The service takes a file by its hash alone. */
const sendable = (part: MessagePart): MessagePart =>
  part.file?.file_hash === undefined ? part : { file: { file_hash: part.file.file_hash } };

const messageOf = ({ text, parts, isPrivate }: OutgoingContent, agentId: string): NewMessage => ({
  actor_type: "agent",
  actor_id: agentId,
  message_type: isPrivate ? "private" : "normal",
  message_parts: [...(text === "" ? [] : [{ text: { content: text } }]), ...parts],
});

const keyOf = (): string => `console-${Date.now().toString(36)}-${Math.random().toString(36).slice(2, 12)}`;

/** A message that the service has not confirmed, as the browser keeps it. */
type UnsentMessage = Pick<PendingMessage, "message" | "created_time">;

const PLACE = /^message (\S+) (\S+)$/;
const placeOf = (id: string, key: string): string => `message ${id} ${key}`;

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
    dropUnsaved(placeOf(id, key));
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
  const { key, ...unsent } = pending;
  keepUnsaved(placeOf(id, key), unsent satisfies UnsentMessage);
  thread.update((state) => withPending(state, pending));
  // The agent sees the sent message, at the end of the thread.
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

const withoutPending = (thread: Thread, key: string): void =>
  thread.update((state) => ({ ...state, pending: state.pending.filter((each) => each.key !== key) }));

/** Removes a failed message. */
export const discardPending = (id: string, thread: Thread, key: string): void => {
  dropUnsaved(placeOf(id, key));
  withoutPending(thread, key);
};

/**
 * A message that was being sent when its page was closed is sent again within this time. Later it is offered: the agent may think otherwise by
 * then. @assumed @units milliseconds
 */
const RESEND_WITHIN_MS = 600_000;

/** Shows the messages of a conversation that an earlier page could not send. -> whether one is offered, and not sent again at once */
const restoreUnsent = (id: string): boolean => {
  const thread = openThread(id);
  let isOffered = false;
  for (const place of unsavedPlaces(`message ${id} `)) {
    const [, , key = ""] = PLACE.exec(place) ?? [];
    const unsent = unsavedAt<UnsentMessage>(place);
    if (!unsent || thread.get().pending.some((each) => each.key === key)) continue;
    thread.update((state) => withPending(state, { ...unsent, key, error: texts.interrupted }));
    if (Date.now() - Date.parse(unsent.created_time) < RESEND_WITHIN_MS) sendAgain(id, thread, key);
    else isOffered = true;
  }
  return isOffered;
};

/** Goes on with what an earlier page could not send. -> ids of the conversations whose messages wait for the agent */
export const startUnsent = (): readonly string[] => {
  onOtherTabUnsaved((place, value) => {
    const [, id = "", key = ""] = PLACE.exec(place) ?? [];
    const thread = knownThread(id);
    const isWaiting = thread?.get().pending.some((each) => each.key === key && each.error !== undefined);
    // It was sent or discarded in that tab.
    if (value === undefined && thread && isWaiting) withoutPending(thread, key);
  });
  const ids = new Set(unsavedPlaces("message ").flatMap((place) => PLACE.exec(place)?.[1] ?? []));
  return [...ids].filter(restoreUnsent);
};

addEventListener("beforeunload", (event) => {
  if (hasUnsent() && !isLeavingPage()) event.preventDefault();
});
