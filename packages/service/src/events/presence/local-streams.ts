import { strongestState, type PresencePlace, type PresenceState } from "./presence-map.ts";

/** Owner of the stream. */
export interface StreamOwner {
  readonly accountId: number;
  readonly agentId: string;
  /** Id of the session. */
  readonly credentialId: string;
}

/** Report of a tab: the conversation that it shows. */
export interface TabReport {
  readonly tabId: string;
  readonly conversationId: string;
  readonly state: PresenceState | "left";
}

interface Tab {
  readonly place: PresencePlace;
  state: PresenceState;
  /** Runs while the state is `typing`. */
  typingEnd?: NodeJS.Timeout | undefined;
}

/** The tabs in which one agent has one conversation open, and the strongest of their states, as it was published. */
interface SharedPlace {
  readonly tabs: Set<Tab>;
  published: PresenceState | undefined;
}

interface LocalStreamsDeps {
  readonly rules: {
    /** How long `typing` holds without another report. @units milliseconds */
    readonly typingMs: number;
    /** Tabs of one stream. A further tab replaces the tab that has reported least recently. */
    readonly tabsPerStream: number;
  };
  /** Called with each change of an agent's state in a conversation; undefined: not there any more. */
  readonly publish: (place: PresencePlace, state: PresenceState | undefined) => void;
}

/**
 * The presence that the streams of this process hold. A tab has one conversation open.
 *
 * States of a tab: (none) → viewing ⇄ typing → (none). `typing` becomes `viewing` after a time; the end of the stream removes the tab.
 */
export const createLocalStreams = ({ rules, publish }: LocalStreamsDeps) => {
  const streams = new Map<string, { readonly owner: StreamOwner; readonly tabs: Map<string, Tab> }>();
  const places = new Map<string, SharedPlace>();

  const keyOf = ({ accountId, conversationId, agentId }: PresencePlace) => `${accountId} ${conversationId} ${agentId}`;
  const refresh = (place: PresencePlace, shared: SharedPlace): void => {
    const state = strongestState([...shared.tabs].map((tab) => tab.state));
    if (!state) places.delete(keyOf(place));
    if (state === shared.published) return;
    shared.published = state;
    publish(place, state);
  };
  const sharedPlaceOf = (place: PresencePlace): SharedPlace => {
    const shared = places.get(keyOf(place)) ?? { tabs: new Set(), published: undefined };
    places.set(keyOf(place), shared);
    return shared;
  };

  const enter = (tab: Tab, state: PresenceState): void => {
    const shared = sharedPlaceOf(tab.place);
    shared.tabs.add(tab);
    clearTimeout(tab.typingEnd);
    tab.state = state;
    if (state === "typing") tab.typingEnd = setTimeout(() => enter(tab, "viewing"), rules.typingMs).unref();
    refresh(tab.place, shared);
  };
  const leave = (tab: Tab): void => {
    clearTimeout(tab.typingEnd);
    const shared = sharedPlaceOf(tab.place);
    shared.tabs.delete(tab);
    refresh(tab.place, shared);
  };

  return {
    isEmpty: () => streams.size === 0,
    open: (streamId: string, owner: StreamOwner): void => void streams.set(streamId, { owner, tabs: new Map() }),
    /** May be called again. */
    close(streamId: string): void {
      const stream = streams.get(streamId);
      streams.delete(streamId);
      for (const tab of stream?.tabs.values() ?? []) leave(tab);
    },
    /** -> the owner of the stream; undefined if the session has no such stream */
    report(
      streamId: string,
      credentialId: string,
      { tabId, conversationId, state }: TabReport,
    ): StreamOwner | undefined {
      const stream = streams.get(streamId);
      if (stream?.owner.credentialId !== credentialId) return undefined;
      const { owner, tabs } = stream;
      const present = tabs.get(tabId);
      const isSame = present?.place.conversationId === conversationId;
      // A late report that a tab left a conversation does not end its presence in the next conversation.
      if (state === "left" && !isSame) return owner;
      tabs.delete(tabId);
      if (present && (state === "left" || !isSame)) leave(present);
      if (state === "left") return owner;
      const place = { accountId: owner.accountId, conversationId, agentId: owner.agentId };
      const tab = present && isSame ? present : { place, state };
      // At the end, so that the tabs are in the order of their reports.
      tabs.set(tabId, tab);
      enter(tab, state);
      for (const [oldestId, oldest] of tabs) {
        if (tabs.size <= rules.tabsPerStream) break;
        tabs.delete(oldestId);
        leave(oldest);
      }
      return owner;
    },
  };
};
