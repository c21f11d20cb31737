import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { Button, IconButton } from "../../ui/button.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Menu, type MenuAction } from "../../ui/menu.tsx";
import { showError, showToast } from "../../ui/toast-store.ts";
import { useWorkspace } from "../../workspace/workspace.ts";
import { adminCalls } from "../admin-client.ts";
import styles from "../administration.module.css";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { LoadState } from "../load-state.tsx";
import { administrationMessages } from "../messages.ts";
import { PageHeader } from "../page-header.tsx";
import { RecordTable } from "../record-table.tsx";
import { WEBHOOK_VALUES } from "./contract-values.ts";
import { KeysSection } from "./keys-section.tsx";
import { webhookMessages as texts } from "./messages.ts";
import { RenewDialog } from "./renew-dialog.tsx";
import { TestDialog } from "./test-dialog.tsx";
import { WEBHOOK_COLUMNS } from "./webhook-cells.tsx";
import { WebhookDialog } from "./webhook-dialog.tsx";
import { webhooksQuery, type ListedWebhook } from "./webhook-queries.ts";

/** The open dialog, and the webhook that it is about. */
type Opened =
  | { readonly dialog: "create" }
  | { readonly dialog: "change" | "test" | "renew" | "remove"; readonly webhook: ListedWebhook };

const useWebhookChanges = (account: string) => {
  const queries = useQueryClient();
  const reread = () => queries.invalidateQueries({ queryKey: webhooksQuery(account).queryKey });
  const toggle = async ({ id, state }: ListedWebhook): Promise<void> => {
    const next = state === "on" ? "off" : "on";
    await adminCalls.changeWebhook({ params: { account, webhook_id: id }, body: { state: next } });
    await reread();
    showToast(next === "on" ? texts.onToast : texts.offToast);
  };
  const remove = async ({ id }: ListedWebhook): Promise<void> => {
    await adminCalls.removeWebhook({ params: { account, webhook_id: id } });
    await reread();
    showToast(texts.removedToast);
  };
  return { toggle, remove };
};

interface DialogsProps {
  readonly opened: Opened | undefined;
  readonly remove: (webhook: ListedWebhook) => Promise<void>;
  readonly onClose: () => void;
}

const Dialogs = ({ opened, remove, onClose }: DialogsProps) => {
  if (!opened) return null;
  if (opened.dialog === "create") return <WebhookDialog webhook={undefined} onClose={onClose} />;
  const { dialog, webhook } = opened;
  if (dialog === "change") return <WebhookDialog webhook={webhook} onClose={onClose} />;
  if (dialog === "test") return <TestDialog webhook={webhook} onClose={onClose} />;
  if (dialog === "renew") return <RenewDialog webhook={webhook} onClose={onClose} />;
  return (
    <ConfirmDialog
      title={texts.removeTitle(webhook.url)}
      text={texts.removeText}
      action={texts.remove}
      run={() => remove(webhook)}
      onClose={onClose}
    />
  );
};

/** Webhooks: which addresses receive which events, and whether they arrive. */
export const WebhooksPage = () => {
  const navigate = useNavigate();
  const account = useWorkspace().account.name;
  const query = useQuery(webhooksQuery(account));
  const [opened, setOpened] = useState<Opened>();
  const { toggle, remove } = useWebhookChanges(account);

  const actionsOf = (webhook: ListedWebhook): readonly MenuAction[] => [
    {
      id: "deliveries",
      label: texts.deliveries,
      onAction: () => void navigate({ to: "/admin/webhooks/$webhookId", params: { webhookId: webhook.id } }),
    },
    ...(["change", "test", "renew"] as const).map((dialog) => ({
      id: dialog,
      label: texts[dialog],
      onAction: () => setOpened({ dialog, webhook }),
    })),
    {
      id: "toggle",
      label: webhook.state === "on" ? texts.turnOff : texts.turnOn,
      onAction: () => void toggle(webhook).catch(showError),
    },
    { id: "remove", label: texts.remove, isDanger: true, onAction: () => setOpened({ dialog: "remove", webhook }) },
  ];
  const isFull = (query.data?.length ?? 0) >= WEBHOOK_VALUES.perAccountMax;
  return (
    <div className={styles.page}>
      <PageHeader title={administrationMessages.webhooks} intro={administrationMessages.webhooksIntro}>
        <Button variant="primary" icon="plus" isDisabled={isFull} onPress={() => setOpened({ dialog: "create" })}>
          {texts.create}
        </Button>
      </PageHeader>
      {isFull && <p className={styles.notice}>{texts.full(WEBHOOK_VALUES.perAccountMax)}</p>}
      <LoadState query={query}>
        {(webhooks) => (
          <RecordTable
            label={administrationMessages.webhooks}
            columns={WEBHOOK_COLUMNS}
            records={webhooks}
            idOf={({ id }) => id}
            actions={(webhook) => (
              <Menu label={texts.actionsOf(webhook.url)} groups={[{ actions: actionsOf(webhook) }]}>
                <IconButton icon="more" label={texts.actionsOf(webhook.url)} />
              </Menu>
            )}
            empty={<EmptyState icon="external" title={texts.none} text={texts.noneText} />}
          />
        )}
      </LoadState>
      <KeysSection />
      <Dialogs opened={opened} remove={remove} onClose={() => setOpened(undefined)} />
    </div>
  );
};
