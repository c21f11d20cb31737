import type { AccessToken, AccountDocument, InboxItem, ListedAgent } from "@parley/contract";

/** What leads from an empty account to the first answered customer, in this order. */
export const FIRST_STEPS = ["topic", "agent", "app", "token", "message", "answer"] as const;
export type FirstStep = (typeof FIRST_STEPS)[number];

/** What the account has. */
export interface AccountFacts {
  readonly document: Pick<AccountDocument, "channels">;
  readonly agents: readonly Pick<ListedAgent, "is_active">[];
  /** Number of installed apps. */
  readonly apps: number;
  readonly tokens: readonly Pick<AccessToken, "last_used_time">[];
  /** The newest conversations. */
  readonly conversations: readonly Pick<InboxItem, "preview" | "status">[];
}

/** -> the steps that are done */
export const doneSteps = ({ document, agents, apps, tokens, conversations }: AccountFacts): ReadonlySet<FirstStep> => {
  const isDone: Readonly<Record<FirstStep, boolean>> = {
    topic: (document.channels ?? []).some(({ enabled = true, public: shown = true }) => enabled && shown),
    // The owner and a colleague.
    agent: agents.filter(({ is_active }) => is_active).length > 1,
    app: apps > 0,
    token: tokens.some(({ last_used_time }) => last_used_time !== undefined),
    message: conversations.length > 0,
    answer: conversations.some(({ preview, status }) => preview?.actor_type === "agent" || status === "resolved"),
  };
  return new Set(FIRST_STEPS.filter((step) => isDone[step]));
};
