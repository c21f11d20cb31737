import { useQueryClient } from "@tanstack/react-query";
import type { RefObject } from "react";
import { Button } from "../ui/button.tsx";
import { showError } from "../ui/toast-store.ts";
import styles from "./conversation-grid.module.css";
import { loadBeginning } from "./list-query.ts";
import { inboxMessages as texts } from "./messages.ts";
import type { InboxAddress } from "./use-inbox-address.ts";
import { NEW_MAX } from "./use-stable-scroll.ts";

interface NewConversationsProps {
  readonly count: number;
  /** The list that is scrolled. */
  readonly element: RefObject<HTMLElement | null>;
  readonly address: InboxAddress;
  /** Whether the beginning of the list is not loaded. */
  readonly hasRowsAbove: boolean;
}

/** Announces conversations that were added above the shown rows, and scrolls to them. */
export const NewConversations = ({ count, element, address, hasRowsAbove }: NewConversationsProps) => {
  const queries = useQueryClient();
  const show = async (): Promise<void> => {
    if (hasRowsAbove) await loadBeginning(queries, address.filter, address.order);
    if (element.current) element.current.scrollTop = 0;
  };
  return (
    <>
      <span role="status" className="visually-hidden">
        {count > 0 && texts.newAbove}
      </span>
      {count > 0 && (
        <div className={styles.new}>
          <Button isSmall variant="primary" icon="up" onPress={() => void show().catch(showError)}>
            {count > NEW_MAX ? texts.moreThanNew(NEW_MAX) : texts.newCount(count)}
          </Button>
        </div>
      )}
    </>
  );
};
