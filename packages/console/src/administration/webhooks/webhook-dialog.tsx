import type { Webhook, WebhookAction } from "@parley/contract";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Checkbox } from "../../ui/checkbox.tsx";
import { FieldGroup } from "../../ui/field-group.tsx";
import { showToast } from "../../ui/toast-store.ts";
import { useWorkspace } from "../../workspace/workspace.ts";
import { adminCalls } from "../admin-client.ts";
import { FormDialog } from "../../forms/form-dialog.tsx";
import { SchemaFields, type FieldProps } from "../../forms/schema-fields.tsx";
import { formProblemsOf, formValuesOf, recordOf } from "../../forms/schema-form.ts";
import { useForm } from "../../forms/use-form.ts";
import { WEBHOOK_VALUES } from "./contract-values.ts";
import { webhookMessages as texts } from "./messages.ts";
import { SecretDialog } from "./secret-dialog.tsx";
import { webhookKeysQuery, webhooksQuery } from "./webhook-queries.ts";
import { inOrder, urlRefusal, webhookForm, withAction } from "./webhook-values.ts";

interface WebhookDialogProps {
  /** Undefined for a new webhook. */
  readonly webhook: Webhook | undefined;
  readonly onClose: () => void;
}

const ActionsField = ({ value, onChange, problem }: FieldProps<object, readonly WebhookAction[]>) => (
  <FieldGroup label={texts.events} help={texts.eventsHelp} error={problem}>
    {WEBHOOK_VALUES.actions.map((action) => (
      <Checkbox
        key={action}
        isSelected={value.includes(action)}
        onChange={(isChosen) => onChange(withAction(value, action, isChosen))}
      >
        {texts[action]}
      </Checkbox>
    ))}
  </FieldGroup>
);

/** The fields of a webhook; for a new one its secret follows, which is shown only once. */
export const WebhookDialog = ({ webhook, onClose }: WebhookDialogProps) => {
  const queries = useQueryClient();
  const account = useWorkspace().account.name;
  const [secret, setSecret] = useState<string>();
  const form = useForm({
    keptAt: `webhook ${webhook?.id ?? "new"}`,
    initial: formValuesOf(webhookForm, webhook && { ...webhook, actions: inOrder(webhook.actions) }),
    check: (values) => formProblemsOf(webhookForm, values),
    async save(values) {
      const body = recordOf(webhookForm, values);
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
  const refusedUrl = urlRefusal(form.refusal);
  return (
    <FormDialog
      title={webhook ? texts.changeTitle : texts.create}
      form={{ ...form, refusal: refusedUrl === undefined ? form.refusal : undefined }}
      onClose={onClose}
      {...(!webhook && { action: texts.create })}
    >
      <SchemaFields
        form={webhookForm}
        state={{ ...form, problems: { url: refusedUrl, ...form.problems } }}
        widgets={{ actions: ActionsField }}
      />
    </FormDialog>
  );
};
