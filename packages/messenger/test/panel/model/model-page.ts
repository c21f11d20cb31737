import { createPanelModel } from "../../../src/panel/model/setup/create-panel-model.ts";

/** The panel's data without a display. `panel` is for tests. */
const model = createPanelModel();

const snapshot = () => {
  const { threads, place, ...state } = model.state();
  const thread = place.kind === "thread" ? threads.get(place.key) : undefined;
  const textsOf = (
    messages: readonly { readonly message_parts: readonly { readonly text?: { readonly content: string } }[] }[],
  ) => messages.map(({ message_parts: [part] }) => part?.text?.content ?? Object.keys(part ?? {})[0] ?? "");
  return {
    ...state,
    place,
    texts: textsOf(thread?.messages ?? []),
    own: textsOf((thread?.messages ?? []).filter(({ actor }) => actor.type === "user")),
    outgoing: thread?.outgoing ?? [],
    draft: thread?.draft,
    hasOlder: thread?.hasOlder,
    typing: thread?.typing ?? [],
  };
};
export type PanelSnapshot = ReturnType<typeof snapshot>;

const panel = {
  actions: model.actions,
  snapshot,
  key: (): string => {
    const { place } = model.state();
    return place.kind === "thread" ? place.key : "";
  },
};
export type PanelOfPage = typeof panel;
Object.assign(globalThis, { panel });
