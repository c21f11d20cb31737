import type { SearchKind } from "@parley/contract";
import { useId, type ReactNode } from "react";
import { Button } from "../ui/button.tsx";
import { createNames, useWorkspace } from "../workspace/workspace.ts";
import { searchMessages as texts } from "./messages.ts";
import {
  ConversationLine,
  MessageLine,
  UserLine,
  type FoundConversation,
  type FoundMessage,
  type FoundUser,
} from "./result-lines.tsx";
import styles from "./search.module.css";
import { useCustomerNames } from "./use-customer-names.ts";

/** Results of all pages that were loaded, by kind. */
export interface SearchSections {
  readonly messages: readonly FoundMessage[];
  readonly users: readonly FoundUser[];
  readonly conversations: readonly FoundConversation[];
}

/** -> how many results there are in all sections */
export const resultCountOf = ({ messages, users, conversations }: SearchSections): number =>
  messages.length + users.length + conversations.length;

interface SectionProps {
  readonly title: string;
  /** Shows more of this kind; absent if all are shown. */
  readonly onMore: (() => void) | undefined;
  readonly children: readonly ReactNode[];
}

const Section = ({ title, onMore, children }: SectionProps) => {
  const id = useId();
  if (children.length === 0) return undefined;
  return (
    <section aria-labelledby={id} className={styles.section}>
      <h2 id={id} className={styles.heading}>
        {title}
      </h2>
      <ul className={styles.list}>{children}</ul>
      {onMore && (
        <Button isSmall onPress={onMore}>
          {texts.moreOf(title)}
        </Button>
      )}
    </section>
  );
};

interface ResultsProps {
  readonly found: SearchSections;
  /** Results of a section from which on there may be more than are shown. */
  readonly sectionSize: number | undefined;
  readonly onKind: (kind: SearchKind) => void;
  /** A result is opened. */
  readonly onOpen: () => void;
}

export const Results = ({ found, sectionSize = Number.POSITIVE_INFINITY, onKind, onOpen }: ResultsProps) => {
  const names = createNames(useWorkspace());
  const customers = useCustomerNames(found.messages);
  const more = (kind: SearchKind) => (found[kind].length >= sectionSize ? () => onKind(kind) : undefined);
  return (
    <>
      <Section title={texts.users} onMore={more("users")}>
        {found.users.map((result) => (
          <li key={result.user.id}>
            <UserLine result={result} onOpen={onOpen} />
          </li>
        ))}
      </Section>
      <Section title={texts.conversations} onMore={more("conversations")}>
        {found.conversations.map((result) => (
          <li key={result.conversation.conversation_id}>
            <ConversationLine {...{ result, names, onOpen }} />
          </li>
        ))}
      </Section>
      <Section title={texts.messages} onMore={more("messages")}>
        {found.messages.map((result) => (
          <li key={result.message.id}>
            <MessageLine {...{ result, names, customers, onOpen }} />
          </li>
        ))}
      </Section>
    </>
  );
};
