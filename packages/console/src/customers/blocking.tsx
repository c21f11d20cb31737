import { useQueryClient } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";
import { formatDateTime } from "../i18n/format.ts";
import { client } from "../session/session.ts";
import { useCommands } from "../shortcuts/shortcuts.ts";
import { Badge } from "../ui/badge.tsx";
import { ConfirmDialog } from "../ui/confirm-dialog.tsx";
import { showError, showToast } from "../ui/toast-store.ts";
import { createNames, useWorkspace } from "../workspace/workspace.ts";
import { customerBlockQuery } from "./customer-queries.ts";
import styles from "./customer.module.css";
import { customerMessages as texts } from "./messages.ts";
import { useCustomerBlock } from "./use-customer.ts";

interface BlockingState {
  /** Undefined before it is known whether the customer is blocked. */
  readonly isBlocked: boolean | undefined;
  /** Asks before it blocks; unblocks at once. */
  readonly change: () => void;
  readonly dialog: ReactNode;
}

/** Blocks and unblocks a customer, also by the palette of commands. */
export const useBlocking = (id: string, name: string): BlockingState => {
  const queries = useQueryClient();
  const isBlocked = useCustomerBlock(id)?.is_blocked;
  const [isAsking, setAsking] = useState(false);
  const { queryKey } = customerBlockQuery(id);
  const params = { user_id: id };
  const block = async (): Promise<void> => {
    queries.setQueryData(queryKey, await client.customers.blockCustomer({ params }));
    showToast(texts.blockedToast(name));
  };
  const unblock = async (): Promise<void> => {
    try {
      queries.setQueryData(queryKey, await client.customers.unblockCustomer({ params }));
      showToast(texts.unblockedToast(name));
    } catch (error) {
      showError(error);
    }
  };
  const change = (): void => (isBlocked === true ? void unblock() : setAsking(true));
  useCommands(
    isBlocked === undefined
      ? []
      : [
          {
            id: "block-customer",
            label: isBlocked ? texts.unblockCommand : texts.blockCommand,
            group: "conversation",
            run: change,
          },
        ],
  );
  return {
    isBlocked,
    change,
    dialog: isAsking && (
      <ConfirmDialog
        title={texts.blockTitle(name)}
        text={texts.blockText}
        action={texts.block}
        run={block}
        onClose={() => setAsking(false)}
      />
    ),
  };
};

/** Says that a customer is blocked, since when and by whom. */
export const BlockedNote = ({ customerId }: { readonly customerId: string }) => {
  const workspace = useWorkspace();
  const block = useCustomerBlock(customerId);
  if (block?.is_blocked !== true) return undefined;
  const { blocked_time, agent_id } = block;
  return (
    <p className={styles.blocked}>
      <Badge tone="danger">{texts.blocked}</Badge>
      {blocked_time !== undefined && agent_id !== undefined && (
        <span className={styles.entryDetail}>
          {texts.blockedBy(formatDateTime(blocked_time), createNames(workspace).agent(agent_id))}
        </span>
      )}
    </p>
  );
};
