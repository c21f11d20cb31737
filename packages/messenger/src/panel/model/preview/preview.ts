import type { MessengerActor, MessengerConversation } from "@parley/contract";
import type { PanelPreview } from "../../../bridge/bridge.ts";
import type { PanelState } from "../panel-model.ts";
import type { Store } from "../store.ts";
import { emptyThread, withThread } from "../threads/panel-state.ts";

const ID = "preview";
const AGENT: MessengerActor = { type: "agent" };

/** The state with a sample conversation in the place of the visitor's. */
const previewed = (state: PanelState, { view, agent, question, answer }: PanelPreview): PanelState => {
  const { configuration } = state;
  const actor = { ...AGENT, first_name: agent };
  const created_time = new Date().toISOString();
  const topicId = configuration?.topics[0]?.id ?? "";
  const conversation: MessengerConversation = {
    ...{ id: ID, topic_id: topicId, status: "assigned", is_latest: true, created_time, unread_count: 0, agent: actor },
    ...{ interaction_id: ID, is_rated: false },
  };
  const messages = [question, answer].map((content, index) => ({
    ...{ id: `${ID} ${index}`, conversation_id: ID, created_time, message_type: "normal" as const },
    actor: index === 0 ? { type: "user" as const } : actor,
    message_parts: [{ text: { content } }],
  }));
  return {
    ...withThread(state, ID, { ...emptyThread(topicId, conversation), messages }),
    ...(configuration && { configuration: { ...configuration, is_open: view !== "away" } }),
    ...{ phase: "ready", isOpen: true, isFocused: false },
    place: view === "thread" ? { kind: "thread", key: ID } : { kind: "home" },
  };
};

const DARK = /prefers-color-scheme:\s*dark/;

/** Rules of the style sheets that depend on the scheme of the browser. */
const schemeRules = (): readonly CSSMediaRule[] =>
  [...document.styleSheets]
    .flatMap(({ cssRules }) => [...cssRules])
    .filter((rule): rule is CSSMediaRule => rule instanceof CSSMediaRule && DARK.test(rule.media.mediaText));

/**
 * Shows a look that is not saved, with a sample conversation, and follows its changes. Nobody can use the panel then: it begins no visit, so that it
 * stores nothing and sends nothing.
 */
export const startPreview = (state: Store<PanelState>): void => {
  const rules = schemeRules();
  let shown: PanelPreview | undefined;
  const apply = (): void => {
    const { preview } = state.get().options;
    if (!preview || preview === shown) return;
    shown = preview;
    for (const { media } of rules) media.mediaText = preview.scheme === "dark" ? "all" : "not all";
    document.documentElement.style.colorScheme = preview.scheme;
    state.update((current) => previewed(current, preview));
  };
  document.body.inert = true;
  apply();
  state.follow(apply);
};
