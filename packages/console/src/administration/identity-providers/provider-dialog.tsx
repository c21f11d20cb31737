import type { IdentityProvider } from "@parley/contract";
import { useQueryClient } from "@tanstack/react-query";
import field from "../../ui/field.module.css";
import { showToast } from "../../ui/toast-store.ts";
import { useWorkspace } from "../../workspace/workspace.ts";
import { adminCalls } from "../admin-client.ts";
import { CopyField } from "../copy-field.tsx";
import { entryMessages } from "../entry-messages.ts";
import { FormDialog } from "../../forms/form-dialog.tsx";
import { SchemaFields } from "../../forms/schema-fields.tsx";
import { formProblemsOf, formValuesOf, recordOf } from "../../forms/schema-form.ts";
import { useForm } from "../../forms/use-form.ts";
import { providerMessages as texts } from "./messages.ts";
import { callbackOf, providerForm } from "./provider-form.ts";
import { providersQuery } from "./providers-query.ts";

interface ProviderDialogProps {
  /** Undefined for a new provider. */
  readonly provider: IdentityProvider | undefined;
  readonly providers: readonly IdentityProvider[];
  readonly callbackTemplate: string | undefined;
  readonly onClose: () => void;
}

/** The fields of a provider. The callback address is shown as soon as the name is known, as the provider asks for it first. */
export const ProviderDialog = ({ provider, providers, callbackTemplate, onClose }: ProviderDialogProps) => {
  const queries = useQueryClient();
  const account = useWorkspace().account.name;
  const fields = providerForm(provider === undefined);
  const form = useForm({
    keptAt: `identity provider ${provider?.name ?? "new"}`,
    secrets: ["client_secret"],
    initial: formValuesOf(fields, provider),
    check: (values) => formProblemsOf(fields, values, providers),
    async save(values) {
      const { name, ...body } = recordOf(fields, values);
      await adminCalls.putIdentityProvider({ params: { account, provider: name }, body });
      await queries.invalidateQueries({ queryKey: providersQuery(account).queryKey });
      showToast(entryMessages.saved(body.label));
      onClose();
    },
  });
  const callback = provider?.callback_url ?? callbackOf(callbackTemplate, form.values.name);
  return (
    <FormDialog title={provider ? entryMessages.edit(provider.label) : texts.addTitle} form={form} onClose={onClose}>
      <SchemaFields form={fields} state={form} names={["name"]} />
      {callback !== undefined && (
        <div>
          <CopyField label={texts.callback} value={callback} />
          <p className={field.help}>{texts.callbackHelp}</p>
        </div>
      )}
      <SchemaFields form={fields} state={form} names={["label", "issuer", "client_id", "client_secret"]} />
    </FormDialog>
  );
};
