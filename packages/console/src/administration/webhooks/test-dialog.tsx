import type { Webhook, WebhookTested } from "@parley/contract";
import { useQuery } from "@tanstack/react-query";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { errorText } from "../../ui/error-text.ts";
import field from "../../ui/field.module.css";
import { uiMessages } from "../../ui/messages.ts";
import { Spinner } from "../../ui/spinner.tsx";
import { useWorkspace } from "../../workspace/workspace.ts";
import { adminCalls } from "../admin-client.ts";
import styles from "../administration.module.css";
import { webhookMessages as texts } from "./messages.ts";
import own from "./webhooks.module.css";

const resultText = ({ delivered, status, reason = "", milliseconds }: WebhookTested): string => {
  if (status === undefined) return texts.testFailed(reason);
  return delivered ? texts.testDelivered(status, milliseconds) : texts.testAnswered(status, milliseconds);
};

/** Sends a test delivery when it opens, and shows what the receiver answered. */
export const TestDialog = ({ webhook, onClose }: { readonly webhook: Webhook; readonly onClose: () => void }) => {
  const account = useWorkspace().account.name;
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: ["admin", "webhook-test", webhook.id],
    queryFn: () => adminCalls.testWebhook({ params: { account, webhook_id: webhook.id } }),
    // Each opening sends one test event, and nothing else sends it.
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
  return (
    <Dialog
      title={texts.testTitle}
      isOpen
      onClose={onClose}
      actions={
        <>
          <Button isDisabled={isFetching} onPress={() => void refetch()}>
            {texts.testAgain}
          </Button>
          <Button variant="primary" onPress={onClose}>
            {uiMessages.close}
          </Button>
        </>
      }
    >
      <div className={styles.form}>
        <p className={own.address}>{webhook.url}</p>
        <div role="status">
          {isFetching && (
            <>
              <Spinner />
              <p>{texts.testing}</p>
            </>
          )}
          {!isFetching && data && <p className={data.delivered ? undefined : field.error}>{resultText(data)}</p>}
          {!isFetching && error && <p className={field.error}>{errorText(error)}</p>}
        </div>
      </div>
    </Dialog>
  );
};
