import type { InboxItem } from "@parley/contract";
import { useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { elementStates, onElementClick } from "../composer/composer-state.ts";
import { reopenConversation } from "../conversation/actions.ts";
import { conversationMessages } from "../conversation/messages.ts";
import { AgentPicker, GroupPicker, PriorityPicker } from "../conversation/pickers.tsx";
import { StatusBadge } from "../conversation/status-badge.tsx";
import { requestResolve } from "../conversation/resolve.ts";
import type { PickerName } from "../conversation/use-conversation-commands.ts";
import { useBlocking } from "../customers/blocking.tsx";
import { customerMessages } from "../customers/messages.ts";
import { useEffect } from "../state/effects.ts";
import { useStore } from "../state/store.ts";
import { PersonAvatar } from "../ui/avatar.tsx";
import { Button, IconButton } from "../ui/button.tsx";
import { Menu } from "../ui/menu.tsx";
import { showToast } from "../ui/toast-store.ts";
import { createNames, customerName, useWorkspace } from "../workspace/workspace.ts";
import { CustomerState } from "./customer-state.tsx";
import { threadMessages as texts } from "./messages.ts";
import styles from "./pane.module.css";
import { PresenceLine } from "./presence-line.tsx";

interface ConversationHeaderProps {
  readonly item: InboxItem;
  readonly picker: PickerName | undefined;
  readonly onPick: (picker: PickerName | undefined) => void;
  readonly onBack: () => void;
  readonly onMarkUnread: () => void;
  readonly areDetailsOpen: boolean;
  readonly onToggleDetails: () => void;
}

const copyLink = async (): Promise<void> => {
  try {
    await navigator.clipboard.writeText(location.origin + location.pathname);
    showToast(conversationMessages.linkCopied);
  } catch {
    showToast(conversationMessages.linkNotCopied, { tone: "error" });
  }
};

const ResolveButton = ({ item }: { readonly item: InboxItem }) => {
  const queries = useQueryClient();
  const workspace = useWorkspace();
  const { isVisible, isEnabled } = useStore(elementStates).resolve;
  const isResolved = item.status === "resolved";
  const act = (): void =>
    void (isResolved ? reopenConversation(queries, item) : requestResolve(queries, item, workspace));
  useEffect(() => onElementClick("resolve", act));
  if (!isVisible) return undefined;
  return (
    <Button
      variant={isResolved ? "secondary" : "primary"}
      icon={isResolved ? "undo" : "check"}
      isDisabled={!isEnabled}
      onPress={act}
    >
      {isResolved ? conversationMessages.reopen : conversationMessages.resolve}
    </Button>
  );
};

/** Customer, topic and assignment of the conversation, and its actions. */
export const ConversationHeader = (props: ConversationHeaderProps) => {
  const { item, picker, onPick, onBack, onMarkUnread, areDetailsOpen, onToggleDetails } = props;
  const workspace = useWorkspace();
  const { assign } = useStore(elementStates);
  const name = customerName(item.customer);
  const { isBlocked, change: changeBlock, dialog: blockDialog } = useBlocking(item.customer.id, name);
  useEffect(() => onElementClick("assign", () => onPick("agent")), [onPick]);
  const pickerProps = (of: PickerName) => ({
    item,
    isOpen: picker === of,
    onOpenChange: (isOpen: boolean) => onPick(isOpen ? of : undefined),
    isDisabled: !assign.isEnabled,
  });
  return (
    <header className={styles.header}>
      <div className={styles.title}>
        <span className={styles.back}>
          <IconButton icon="back" label={texts.back} keys="Esc" onPress={onBack} />
        </span>
        <span className={styles.avatar}>
          <PersonAvatar name={name} url={item.customer.avatar_url} of={{ user_id: item.customer.id }} />
        </span>
        <div className={styles.names}>
          <h1 className={styles.name}>
            <Link to="/customers/$customerId" params={{ customerId: item.customer.id }} className={styles.customer}>
              {name}
            </Link>
          </h1>
          <p className={styles.subject}>
            <StatusBadge status={item.status === "reopened" ? "new" : item.status} />
            <CustomerState conversationId={item.conversation_id} />
            <span>{createNames(workspace).topic(item.channel_id)}</span>
            <span>{texts.number(item.number)}</span>
          </p>
        </div>
        <ResolveButton item={item} />
        <IconButton
          icon="person"
          label={areDetailsOpen ? texts.hideDetails : texts.showDetails}
          aria-expanded={areDetailsOpen}
          onPress={onToggleDetails}
        />
        <Menu
          label={conversationMessages.more}
          groups={[
            {
              actions: [
                { id: "copy", label: conversationMessages.copyLink, icon: "link", onAction: () => void copyLink() },
                {
                  id: "unread",
                  label: conversationMessages.markUnread,
                  icon: "bell",
                  detail: "U",
                  onAction: onMarkUnread,
                },
                {
                  id: "block",
                  label: isBlocked === true ? customerMessages.unblockCommand : customerMessages.blockCommand,
                  icon: isBlocked === true ? "undo" : "block",
                  isDanger: isBlocked !== true,
                  isDisabled: isBlocked === undefined,
                  onAction: changeBlock,
                },
              ],
            },
          ]}
        >
          <IconButton icon="more" label={conversationMessages.more} />
        </Menu>
        {blockDialog}
      </div>
      <div className={styles.assignment}>
        {assign.isVisible && <AgentPicker {...pickerProps("agent")} />}
        {assign.isVisible && <GroupPicker {...pickerProps("group")} />}
        <PriorityPicker {...pickerProps("priority")} />
        <PresenceLine conversationId={item.conversation_id} />
      </div>
    </header>
  );
};
