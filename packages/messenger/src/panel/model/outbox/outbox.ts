import type { MessagePart, MessengerConversation, MessengerMessage } from "@parley/contract";
import type { FailureName } from "../../texts/failure-texts.ts";
import type { ApiClient } from "../api/api-client.ts";
import { createBackoff } from "../api/backoff.ts";
import { failureOf } from "../api/failure.ts";
import { isRefusedWith, isTemporary } from "../api/request-error.ts";
import { withLock } from "../session/exclusive.ts";
import type { OutgoingMessage, PanelState, ThreadKey } from "../panel-model.ts";
import type { Store } from "../store.ts";
import {
  changeThread,
  topicKey,
  topicOfKey,
  withBegunThread,
  withConversation,
  withMessage,
} from "../threads/panel-state.ts";
import { isOutcomeLost, needsFile, nextEntry, outgoingOf, type OutboxEntry } from "./outbox-entry.ts";
import type { OutboxFiles } from "./outbox-files.ts";
import type { OutboxStorage } from "./outbox-storage.ts";
import type { TabIdentity } from "./tab-identity.ts";

type ReplyTarget = Pick<OutgoingContent, "in_reply_to">;

interface OutgoingContent {
  readonly message_parts: readonly MessagePart[];
  readonly in_reply_to?: { readonly message_id: string };
  readonly payload?: string;
}

/** Sends messages one after another: each once, in the order in which they were written. */
export interface Outbox {
  /** @shape isAnew: begins a conversation even if the topic has one that takes messages */
  readonly add: (key: ThreadKey, content: OutgoingContent, isAnew: boolean) => void;
  readonly attach: (key: ThreadKey, file: File, isAnew: boolean, replyTo?: ReplyTarget) => void;
  readonly discard: (entryId: string) => void;
  readonly retry: (entryId: string) => void;
  /** Takes over the messages of tabs that were closed, and of this tab before a reload. */
  readonly resume: () => Promise<void>;
  /** Removes all messages: the person at this browser changed. */
  readonly forget: () => void;
  readonly outgoing: (key: ThreadKey) => readonly OutgoingMessage[];
  /** Whether an own message that arrived by an event is shown later, because it may be the one that is being sent. */
  readonly hold: (message: MessengerMessage) => boolean;
}

interface OutboxDeps {
  readonly api: ApiClient;
  readonly state: Store<PanelState>;
  readonly storage: OutboxStorage;
  readonly files: OutboxFiles;
  readonly tab: TabIdentity;
  readonly lockName: string;
  readonly newId: () => string;
  /** Begins a session if the visitor has none. -> its secret */
  readonly ensureSession: () => Promise<string>;
  /** -> generation of the session, which begins if the browser has none */
  readonly generation: () => string;
  /** -> generation of the session, if the browser has one */
  readonly currentGeneration: () => string | undefined;
  readonly onSent: (message: MessengerMessage) => void;
  /** The service takes messages only of visitors whose site has signed their identity: they wait until the state says that it has. */
  readonly onSignatureRequired: () => void;
}

/** Attempts after which an internal error of the service is no longer taken as temporary. */
const INTERNAL_ERRORS_MAX = 6;

export const createOutbox = (deps: OutboxDeps): Outbox => {
  const { api, state, storage, files, tab, lockName, newId, ensureSession, generation, currentGeneration } = deps;
  const { onSent, onSignatureRequired } = deps;
  let entries: readonly OutboxEntry[] = [];
  let held: readonly MessengerMessage[] = [];
  let sendingId: string | undefined;
  let isRunning = false;
  let lastOrder = 0;

  const isKnown = (id: string): boolean => entries.some((each) => each.id === id);
  const isUnsent = (key: ThreadKey): boolean =>
    entries.some(({ threadKey, failure }) => threadKey === key && failure === undefined);
  const outgoing = (key: ThreadKey): readonly OutgoingMessage[] =>
    entries
      .filter(({ threadKey }) => threadKey === key)
      .sort((one, other) => one.order - other.order)
      .map((entry) => {
        const isRefused = needsFile(entry) && files.refusalOf(entry.id) !== undefined;
        const outgoing = outgoingOf(entry, sendingId, files.progress(entry.id), isRefused);
        return outgoing.state === "waiting" && state.get().isUnsigned ? { ...outgoing, state: "unsigned" } : outgoing;
      });

  /** Shows the entries of all threads, and held messages that are not those being sent. */
  const shown = (current: PanelState): PanelState => {
    let next = current;
    for (const key of current.threads.keys()) {
      const { length } = current.threads.get(key)?.outgoing ?? [];
      if (length > 0 || entries.some(({ threadKey }) => threadKey === key))
        next = changeThread(next, key, (thread) => ({ ...thread, outgoing: outgoing(key) }));
    }
    const released = held.filter(({ conversation_id }) => !isUnsent(conversation_id));
    held = held.filter((each) => !released.includes(each));
    return released.reduce((result, message) => withMessage(result, message, false), next);
  };
  const show = (): void => state.update(shown);

  const put = (entry: OutboxEntry): void => {
    entries = [...entries.filter(({ id }) => id !== entry.id), entry];
    storage.put(entry);
  };
  const change = (id: string, changed: Partial<OutboxEntry>): OutboxEntry | undefined => {
    const entry = entries.find((each) => each.id === id);
    if (!entry) return undefined;
    const next = { ...entry, ...changed };
    put(next);
    return next;
  };
  const remove = (id: string): void => {
    entries = entries.filter((each) => each.id !== id);
    storage.remove(id);
    files.remove(id);
  };
  const fail = (id: string, failure: FailureName): void => {
    change(id, { failure });
    show();
  };

  const enqueue = (entry: Pick<OutboxEntry, "id" | "threadKey" | "message_parts"> & Partial<OutboxEntry>): void => {
    lastOrder = Math.max(lastOrder + 1, Date.now());
    const created_time = new Date().toISOString();
    put({ generation: generation(), tab: tab.id, order: lastOrder, created_time, ...entry });
    show();
    void run();
  };

  /** Gives the messages of a topic to the conversation that has begun. */
  const moveToConversation = (current: PanelState, key: ThreadKey, conversation: MessengerConversation): PanelState => {
    for (const { id, threadKey } of entries) if (threadKey === key) change(id, { threadKey: conversation.id });
    return withBegunThread(current, key, conversation);
  };

  const settle = (entry: OutboxEntry, messages: readonly MessengerMessage[], begun?: MessengerConversation): void => {
    if (!isKnown(entry.id)) return;
    remove(entry.id);
    state.update((current) => {
      const withBegun = begun ? moveToConversation(withConversation(current, begun), entry.threadKey, begun) : current;
      return shown(messages.reduce((result, message) => withMessage(result, message, false), withBegun));
    });
    for (const message of messages) if (message.actor.type === "user") onSent(message);
  };

  const post = async (entry: OutboxEntry): Promise<void> => {
    const topicId = topicOfKey(entry.threadKey);
    const options = { idempotencyKey: entry.id };
    const message = {
      message_parts: [...entry.message_parts],
      ...(entry.in_reply_to && { in_reply_to: entry.in_reply_to }),
      ...(entry.payload !== undefined && { payload: entry.payload }),
    };
    if (topicId === undefined) {
      const params = { conversation_id: entry.threadKey };
      return settle(entry, [await api.call("sendMessengerMessage", { params, body: message }, options)]);
    }
    const body = { topic_id: topicId, message, ...(entry.properties && { properties: { ...entry.properties } }) };
    const begun = await api.call("beginMessengerConversation", { body }, options);
    settle(entry, begun.messages, begun.conversation);
  };

  /** A message of a topic goes to the conversation that another tab has begun meanwhile, unless it may have begun one itself. */
  const redirect = ({ threadKey, isAnew, firstSentAt }: OutboxEntry): void => {
    const topicId = topicOfKey(threadKey);
    if (topicId === undefined || isAnew || firstSentAt !== undefined) return;
    const begun = state.get().conversations.find((each) => each.is_latest && each.topic_id === topicId);
    if (begun) state.update((current) => shown(moveToConversation(current, topicKey(topicId), begun)));
  };

  const attempt = async (first: OutboxEntry): Promise<void> => {
    const { id } = first;
    const token = await ensureSession();
    redirect(first);
    const current = entries.find((each) => each.id === id);
    if (current && needsFile(current)) {
      const part = await files.upload(id, token, show);
      change(id, { message_parts: [part] });
    }
    const properties = first.firstSentAt === undefined ? state.get().conversationProperties : first.properties;
    const entry = change(id, { firstSentAt: first.firstSentAt ?? Date.now(), ...(properties && { properties }) });
    if (entry) await post(entry);
  };

  const refusalOf = (entry: OutboxEntry): FailureName | undefined => {
    if (isOutcomeLost(entry, Date.now())) return "unknownOutcome";
    return needsFile(entry) ? files.refusalOf(entry.id) : undefined;
  };

  const run = async (): Promise<void> => {
    if (isRunning) return;
    isRunning = true;
    const backoff = createBackoff();
    for (let entry = nextEntry(entries); entry && !state.get().isUnsigned; entry = nextEntry(entries)) {
      const { id } = entry;
      const refusal = refusalOf(entry);
      if (refusal !== undefined) {
        fail(id, refusal);
        continue;
      }
      sendingId = id;
      show();
      try {
        await attempt(entry);
        backoff.reset();
      } catch (error) {
        sendingId = undefined;
        // The visitor has removed it, or the person changed.
        if (!isKnown(id)) continue;
        if (isRefusedWith(error, "SIGNED_IDENTITY_REQUIRED")) {
          onSignatureRequired();
          continue;
        }
        if (isRefusedWith(error, "VISITOR_BLOCKED")) state.update((current) => ({ ...current, isBlocked: true }));
        const isPermanent = !isTemporary(error) || (backoff.fail() > INTERNAL_ERRORS_MAX && error.code === 500);
        if (isPermanent) {
          backoff.reset();
          fail(id, failureOf(error, "notSent"));
        } else {
          show();
          await backoff.wait(error.retryAfterMs);
        }
      }
    }
    sendingId = undefined;
    isRunning = false;
    show();
  };

  return {
    outgoing,
    add: (threadKey, content, isAnew) => enqueue({ id: newId(), threadKey, ...content, ...(isAnew && { isAnew }) }),
    attach(threadKey, file, isAnew, replyTo = {}) {
      const id = newId();
      const described = files.add(id, file);
      const failure = files.refusalOf(id);
      enqueue({
        id,
        threadKey,
        message_parts: [],
        file: described,
        ...replyTo,
        ...(isAnew && { isAnew }),
        ...(failure !== undefined && { failure }),
      });
    },
    discard(id) {
      // A message that was sent may have arrived.
      if (id === sendingId && entries.some((each) => each.id === id && !needsFile(each))) return;
      remove(id);
      show();
    },
    retry(id) {
      const entry = entries.find((each) => each.id === id);
      if (!entry) return;
      const { failure: _failure, firstSentAt: _firstSentAt, order: _order, ...again } = entry;
      entries = entries.filter((each) => each !== entry);
      enqueue(again);
    },
    resume: () =>
      withLock(lockName, async () => {
        const isGone = await tab.isGone();
        for (const entry of storage.read(currentGeneration())) {
          if (isKnown(entry.id) || (entry.tab !== tab.id && !isGone(entry.tab))) continue;
          const isLost = needsFile(entry) && entry.failure === undefined;
          put({ ...entry, tab: tab.id, ...(isLost && { failure: "fileLost" }) });
        }
        show();
        void run();
      }),
    forget() {
      entries = [];
      held = [];
      files.clear();
      storage.read(currentGeneration());
    },
    hold(message) {
      if (message.actor.type !== "user" || !isUnsent(message.conversation_id)) return false;
      held = [...held, message];
      return true;
    },
  };
};
