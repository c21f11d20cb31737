import type { EventRow } from "../events/db/payload.ts";
import type { SubscriberKind } from "../events/kinds.ts";
import { canBe, chosen } from "./actions.ts";
import type { Said } from "./payload.ts";

export interface WebhookKindDeps {
  readonly say: (row: EventRow) => Promise<readonly Said[]>;
  readonly post: SubscriberKind["post"];
  readonly close: () => Promise<void>;
}

/** Webhooks as subscribers: each hears the actions that it chose. */
export const webhookKind = ({ say, post, close }: WebhookKindDeps): SubscriberKind => {
  /** Webhooks that are told of one event at the same time share its texts. */
  const texts = new WeakMap<EventRow, Promise<readonly Said[]>>();
  const textsOf = (row: EventRow): Promise<readonly Said[]> => {
    const known = texts.get(row);
    if (known) return known;
    const said = say(row);
    texts.set(row, said);
    said.catch(() => texts.delete(row));
    return said;
  };
  return {
    hears: ({ actions }, eventKind) => canBe(eventKind, actions),
    payload: async ({ actions }, row) => {
      const wanted = chosen(actions);
      return (await textsOf(row)).filter(({ action }) => wanted.includes(action));
    },
    post,
    close,
  };
};
