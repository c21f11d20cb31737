import type { Webhook } from "@parley/contract";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { formatDateTime } from "../../i18n/format.ts";
import { useWorkspace } from "../../workspace/workspace.ts";
import { adminCalls } from "../admin-client.ts";
import { FormDialog } from "../../forms/form-dialog.tsx";
import { useForm } from "../../forms/use-form.ts";
import { webhookMessages as texts } from "./messages.ts";
import { OverlapSelect } from "./overlap-select.tsx";
import { SecretDialog } from "./secret-dialog.tsx";
import { webhooksQuery } from "./webhook-queries.ts";
import type { Overlap } from "./webhook-values.ts";

/** Asks how long the previous secret stays valid, and shows the new secret. */
export const RenewDialog = ({ webhook, onClose }: { readonly webhook: Webhook; readonly onClose: () => void }) => {
  const queries = useQueryClient();
  const account = useWorkspace().account.name;
  const [renewed, setRenewed] = useState<{ readonly secret: string; readonly webhook: Webhook }>();
  const form = useForm<{ hours: Overlap }>({
    initial: { hours: 24 },
    check: () => ({}),
    async save({ hours: overlap_hours }) {
      const params = { account, webhook_id: webhook.id };
      setRenewed(await adminCalls.renewWebhookSecret({ params, body: { overlap_hours } }));
      void queries.invalidateQueries({ queryKey: webhooksQuery(account).queryKey });
    },
  });
  if (renewed) {
    const until = renewed.webhook.overlap_until;
    const note = until === undefined ? texts.renewedOnly : texts.renewedBoth(formatDateTime(until));
    return <SecretDialog title={texts.renewed} secret={renewed.secret} note={note} onClose={onClose} />;
  }
  return (
    <FormDialog title={texts.renewTitle} form={form} action={texts.renew} onClose={onClose}>
      <p>{texts.renewText}</p>
      <OverlapSelect label={texts.overlap} value={form.values.hours} onChange={(hours) => form.change({ hours })} />
    </FormDialog>
  );
};
