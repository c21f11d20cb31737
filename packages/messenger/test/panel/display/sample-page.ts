import type { MessengerMessage } from "@parley/contract";
import type { PanelActions, PanelState, Thread } from "../../../src/panel/model/panel-model.ts";
import { VisitorFailure } from "../../../src/panel/model/api/failure.ts";
import { renderPanel } from "../../../src/panel/views/render-panel.tsx";
import type { FailureName } from "../../../src/panel/texts/failure-texts.ts";
import { ADA, messageOf, outgoingOf, VISITOR } from "./sample-data.ts";
import { SAMPLE_STATES } from "./sample-states.ts";

/** Page that shows the panel in the state that the address names, in its locale, without a service. Actions are recorded, and change the state as far as display needs. */

type RecordedCall = readonly [name: string, ...args: unknown[]];

/** What tests use of the page. */
export interface SamplePage {
  readonly calls: RecordedCall[];
  state(): PanelState;
  set(change: Partial<PanelState>): void;
  /** Changes the thread that is shown. */
  setThread(change: Partial<Thread>): void;
  /** Adds a message of the agent. */
  receive(text: string, more?: Partial<MessengerMessage>): void;
  /** Adds earlier messages, as loadOlder does. */
  prepend(count: number): void;
  /** Makes an action fail. */
  fail: Record<string, FailureName>;
}

declare global {
  interface Window {
    sample: SamplePage;
  }
}

const search = new URLSearchParams(location.search);
const name = search.get("state") ?? "home";
const locale = search.get("locale");
const initial = SAMPLE_STATES[name];
if (!initial) throw new Error(`No sample state has the name ${name}.`);
let state = initial();
if (locale !== null) state = { ...state, options: { ...state.options, locale } };
const listeners = new Set<() => void>();

const set = (change: Partial<PanelState>): void => {
  state = { ...state, ...change };
  for (const listener of listeners) listener();
};
const shownKey = (): string => (state.place.kind === "thread" ? state.place.key : "");
const setThread = (change: Partial<Thread>, key = shownKey()): void => {
  const thread = state.threads.get(key);
  if (thread) set({ threads: new Map([...state.threads, [key, { ...thread, ...change }]]) });
};
const shownThread = (): Thread => {
  const thread = state.threads.get(shownKey());
  if (!thread) throw new Error("No thread is shown.");
  return thread;
};

/** What actions change. Other actions are recorded only. */
const effects: Partial<PanelActions> = {
  showHome: () => set({ place: { kind: "home" } }),
  openConversation: (id) => {
    const conversation = state.conversations.find((each) => each.id === id);
    const other = SAMPLE_STATES["thread"]?.().threads.get("c1");
    if (conversation && other)
      set({
        threads: new Map([...state.threads, [id, { ...other, conversation, topicId: conversation.topic_id }]]),
        place: { kind: "thread", key: id },
      });
  },
  openTopic: (topicId) => {
    const key = `topic:${topicId}`;
    const other = SAMPLE_STATES["thread-empty"]?.().threads.get("topic:orders");
    if (other)
      set({ threads: new Map([...state.threads, [key, { ...other, topicId }]]), place: { kind: "thread", key } });
  },
  send: (_key, { text, parts }) => {
    const content = text ?? parts?.[0]?.text?.content ?? "";
    setThread({ outgoing: [...shownThread().outgoing, outgoingOf(content)], draft: "" });
  },
  setPreferences: (changes) => set({ preferences: { ...state.preferences, ...changes } }),
  setDraft: (_key, draft) => setThread({ draft }),
  discard: (_key, id) => setThread({ outgoing: shownThread().outgoing.filter((each) => each.id !== id) }),
};

const calls: RecordedCall[] = [];
const fail: Record<string, FailureName> = {};
const actions = new Proxy({} as PanelActions, {
  get:
    (_, action: string) =>
    (...args: unknown[]): unknown => {
      calls.push([action, ...args.map((arg) => (arg instanceof Array ? arg.map(fileName) : arg))]);
      const effect = effects[action as keyof PanelActions] as ((...all: unknown[]) => unknown) | undefined;
      const failure = fail[action];
      if (action !== "rate" && action !== "leaveEmail") return effect?.(...args);
      return failure === undefined ? Promise.resolve() : Promise.reject(new VisitorFailure(failure));
    },
});
const fileName = (value: unknown): unknown => (value instanceof File ? value.name : value);

window.sample = {
  calls,
  fail,
  state: () => state,
  set,
  setThread: (change) => setThread(change),
  receive: (text, more) => setThread({ messages: [...shownThread().messages, messageOf(ADA, -1, text, more)] }),
  prepend: (count) => {
    const older = Array.from({ length: count }, (_, index) =>
      messageOf(VISITOR, 5_000 - index, `Earlier message ${index}`),
    );
    setThread({ messages: [...older, ...shownThread().messages], isLoadingOlder: false, hasOlder: false });
  },
};

const element = document.querySelector("#panel");
if (element)
  renderPanel(
    {
      state: () => state,
      follow: (listener) => {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
      actions,
    },
    element,
  );
