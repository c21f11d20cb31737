import type { Webhook } from "@parley/contract";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Checkbox } from "../../ui/checkbox.tsx";
import field from "../../ui/field.module.css";
import { TextField } from "../../ui/text-field.tsx";
import { showToast } from "../../ui/toast-store.ts";
import { useWorkspace } from "../../workspace/workspace.ts";
import { adminCalls } from "../admin-client.ts";
import { FormDialog } from "../form-dialog.tsx";
import { useForm } from "../use-form.ts";
import { WEBHOOK_VALUES } from "./contract-values.ts";
import { webhookMessages as texts } from "./messages.ts";
import { SecretDialog } from "./secret-dialog.tsx";
import { webhookKeysQuery, webhooksQuery } from "./webhook-queries.ts";
import {
  webhookBodyOf,
  newWebhookValues,
  webhookProblemsOf,
  urlRefusal,
  webhookValuesOf,
  withAction,
} from "./webhook-values.ts";

interface WebhookDialogProps {
  /** Undefined for a new webhook. */
  readonly webhook: Webhook | undefined;
  readonly onClose: () => void;
}

/** The fields of a webhook; for a new one its secret follows, which is shown only once. */
export const WebhookDialog = ({ webhook, onClose }: WebhookDialogProps) => {
  const queries = useQueryClient();
  const account = useWorkspace().account.name;
  const [secret, setSecret] = useState<string>();
  const form = useForm({
    keptAt: `webhook ${webhook?.id ?? "new"}`,
    initial: webhook ? webhookValuesOf(webhook) : newWebhookValues,
    check: webhookProblemsOf,
    async save(values) {
      const body = webhookBodyOf(values);
      if (webhook) {
        await adminCalls.changeWebhook({ params: { account, webhook_id: webhook.id }, body });
        showToast(texts.changedToast);
        onClose();
      } else {
        setSecret((await adminCalls.createWebhook({ params: { account }, body })).secret);
        // The first webhook of an account creates its key.
        void queries.invalidateQueries({ queryKey: webhookKeysQuery(account).queryKey });
      }
      void queries.invalidateQueries({ queryKey: webhooksQuery(account).queryKey });
    },
  });
  if (secret !== undefined) return <SecretDialog title={texts.created} secret={secret} onClose={onClose} />;
  const { values, problems } = form;
  const refusedUrl = urlRefusal(form.refusal);
  return (
    <FormDialog
      title={webhook ? texts.changeTitle : texts.createTitle}
      form={{ ...form, refusal: refusedUrl === undefined ? form.refusal : undefined }}
      onClose={onClose}
      {...(!webhook && { action: texts.create })}
    >
      <TextField
        label={texts.url}
        help={texts.urlHelp}
        inputMode="url"
        value={values.url}
        onChange={(url) => form.change({ url })}
        validationBehavior="aria"
        error={problems.url ?? refusedUrl}
        autoFocus
      />
      <fieldset className={field.group}>
        <legend className={field.label}>{texts.events}</legend>
        <p className={field.help}>{texts.eventsHelp}</p>
        {WEBHOOK_VALUES.actions.map((action) => (
          <Checkbox
            key={action}
            isSelected={values.actions.includes(action)}
            onChange={(isChosen) => form.change({ actions: withAction(values.actions, action, isChosen) })}
          >
            {texts[action]}
          </Checkbox>
        ))}
        {problems.actions !== undefined && (
          <p role="alert" className={field.error}>
            {problems.actions}
          </p>
        )}
      </fieldset>
    </FormDialog>
  );
};
