import type { AccessToken, AccountDocument, InboxItem, ListedAgent } from "@parley/contract";
import { ADMIN_VALUES } from "../contract-values.ts";

/** Steps from an empty account to the first answered customer, in this order. */
export const FIRST_STEPS = ["topic", "agent", "app", "token", "message", "answer"] as const;
export type FirstStep = (typeof FIRST_STEPS)[number];

/** Actions of people and programs in an account, by the audit log. */
export interface RecordedChanges {
  /** Sections of the account document that were changed. */
  readonly sections: ReadonlySet<string>;
  readonly hasCreatedAgent: boolean;
  readonly hasInstalledApp: boolean;
  readonly createdTokenIds: ReadonlySet<string>;
}

/** Contents of the account. */
export interface AccountFacts {
  readonly document: Pick<AccountDocument, "channels">;
  readonly agents: readonly Pick<ListedAgent, "is_active">[];
  /** Whether an app is installed. */
  readonly hasApp: boolean;
  readonly tokens: readonly Pick<AccessToken, "id" | "name" | "last_used_time">[];
  /** The newest conversations. */
  readonly conversations: readonly Pick<InboxItem, "preview" | "status">[];
  /** Of an account of the demo, which has agents, topics, an app and a token from the start; undefined: everything was made by its people. */
  readonly recorded?: RecordedChanges | undefined;
}

/** -> the steps that are done */
export const doneSteps = ({
  document,
  agents,
  hasApp,
  tokens,
  conversations,
  recorded,
}: AccountFacts): ReadonlySet<FirstStep> => {
  const isDone: Readonly<Record<FirstStep, boolean>> = {
    // The topic of a new account has no welcome message.
    topic:
      recorded?.sections.has("channels") !== false &&
      (document.channels ?? []).some(
        ({ enabled = true, public: shown = true, welcome_message: welcome }) =>
          enabled && shown && (welcome?.message_parts.length ?? 0) > 0,
      ),
    // The owner and a colleague.
    agent: recorded?.hasCreatedAgent !== false && agents.filter(({ is_active }) => is_active).length > 1,
    app: recorded?.hasInstalledApp !== false && hasApp,
    // The key of an app was created by its installation.
    token: tokens.some(
      ({ id, name, last_used_time }) =>
        recorded?.createdTokenIds.has(id) !== false &&
        last_used_time !== undefined &&
        !name.startsWith(ADMIN_VALUES.appKeyPrefix),
    ),
    message: conversations.length > 0,
    answer: conversations.some(({ preview, status }) => preview?.actor_type === "agent" || status === "resolved"),
  };
  return new Set(FIRST_STEPS.filter((step) => isDone[step]));
};
