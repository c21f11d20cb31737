import type { Message } from "@parley/contract";

/**
 * Messages of a conversation that are kept; more are dropped at the end that is farther from the reader and loaded again on demand.
 * @units messages
 */
export const WINDOW_MAX = 400;

/** A part of a conversation without gaps, the oldest message first. */
export interface ThreadWindow {
  readonly messages: readonly Message[];
  readonly hasOlder: boolean;
  /** The part does not reach the newest message: messages that arrive can't be added to it. */
  readonly hasNewer: boolean;
}

/** A page as `listThread` returns it. */
export interface ThreadPage {
  readonly messages: readonly Message[];
  readonly has_older: boolean;
  readonly has_newer: boolean;
}

export const EMPTY_WINDOW: ThreadWindow = { messages: [], hasOlder: false, hasNewer: false };

const unknownIn = (known: readonly Message[], added: readonly Message[]): readonly Message[] => {
  const ids = new Set(known.map(({ id }) => id));
  return added.filter(({ id }) => !ids.has(id));
};

export const windowOf = ({ messages, has_older, has_newer }: ThreadPage): ThreadWindow => ({
  messages,
  hasOlder: has_older,
  hasNewer: has_newer,
});

/** Adds a page before the window, and drops messages at its end beyond the maximum. */
export const withOlder = (window: ThreadWindow, page: ThreadPage): ThreadWindow => {
  const messages = [...unknownIn(window.messages, page.messages), ...window.messages];
  return {
    messages: messages.slice(0, WINDOW_MAX),
    hasOlder: page.has_older,
    hasNewer: window.hasNewer || messages.length > WINDOW_MAX,
  };
};

/** Adds a page after the window, and drops messages at its beginning beyond the maximum. */
export const withNewer = (window: ThreadWindow, page: ThreadPage): ThreadWindow => {
  const messages = [...window.messages, ...unknownIn(window.messages, page.messages)];
  return {
    messages: messages.slice(-WINDOW_MAX),
    hasOlder: window.hasOlder || messages.length > WINDOW_MAX,
    hasNewer: page.has_newer,
  };
};

/** Events of a conversation arrive in its order; only the response to an own message can come before the events of earlier messages. */
const inserted = (messages: Message[], message: Message): void => {
  let place = messages.length;
  while (place > 0 && (messages[place - 1]?.created_time ?? "") > message.created_time) place -= 1;
  messages.splice(place, 0, message);
};

/**
 * Adds messages that arrive. A window that does not reach the newest message stays as it is. While the reader is in older messages, a full
 * window is not extended either: it would lose the messages that the agent reads.
 */
export const withArrived = (window: ThreadWindow, arrived: readonly Message[], isAtEnd: boolean): ThreadWindow => {
  if (window.hasNewer) return window;
  const added = unknownIn(window.messages, arrived);
  if (added.length === 0) return window;
  if (!isAtEnd && window.messages.length + added.length > WINDOW_MAX) return { ...window, hasNewer: true };
  const messages = [...window.messages];
  for (const message of added) inserted(messages, message);
  return {
    messages: messages.slice(-WINDOW_MAX),
    hasOlder: window.hasOlder || messages.length > WINDOW_MAX,
    hasNewer: false,
  };
};
