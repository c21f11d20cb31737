import type { IdentityProvider } from "@parley/contract";
import { useQueryClient } from "@tanstack/react-query";
import field from "../../ui/field.module.css";
import { TextField } from "../../ui/text-field.tsx";
import { showToast } from "../../ui/toast-store.ts";
import { useWorkspace } from "../../workspace/workspace.ts";
import { adminCalls } from "../admin-client.ts";
import { CopyField } from "../copy-field.tsx";
import { FormDialog } from "../form-dialog.tsx";
import { useForm } from "../use-form.ts";
import { providerMessages as texts } from "./messages.ts";
import { callbackOf, providerProblemsOf, providerSettingsOf, providerValuesOf } from "./provider-values.ts";
import { providersQuery } from "./providers-query.ts";

interface ProviderDialogProps {
  /** Undefined for a new provider. */
  readonly provider: IdentityProvider | undefined;
  /** Names of the other providers. */
  readonly others: readonly string[];
  readonly callbackTemplate: string | undefined;
  readonly onClose: () => void;
}

/** The fields of a provider. The callback address is shown as soon as the name is known, as the provider asks for it first. */
export const ProviderDialog = ({ provider, others, callbackTemplate, onClose }: ProviderDialogProps) => {
  const queries = useQueryClient();
  const { account } = useWorkspace();
  const form = useForm({
    keptAt: `identity provider ${provider?.name ?? "new"}`,
    secrets: ["secret"],
    initial: providerValuesOf(provider),
    check: (values) => providerProblemsOf(values, others),
    async save(values) {
      await adminCalls.putIdentityProvider({
        params: { account: account.name, provider: values.name.trim() },
        body: providerSettingsOf(values),
      });
      await queries.invalidateQueries({ queryKey: providersQuery(account.name).queryKey });
      showToast(texts.saved(values.label.trim()));
      onClose();
    },
  });
  const { values, problems } = form;
  const callback = provider?.callback_url ?? callbackOf(callbackTemplate, values.name);
  const common = { validationBehavior: "aria", autoComplete: "off" } as const;
  return (
    <FormDialog title={provider ? texts.changeTitle(provider.label) : texts.addTitle} form={form} onClose={onClose}>
      {!provider && (
        <TextField
          {...common}
          label={texts.name}
          help={texts.nameHelp}
          value={values.name}
          onChange={(name) => form.change({ name })}
          error={problems.name}
          autoFocus
        />
      )}
      {callback !== undefined && (
        <div>
          <CopyField label={texts.callback} value={callback} />
          <p className={field.help}>{texts.callbackHelp}</p>
        </div>
      )}
      <TextField
        {...common}
        label={texts.label}
        help={texts.labelHelp}
        value={values.label}
        onChange={(label) => form.change({ label })}
        error={problems.label}
        autoFocus={provider !== undefined}
      />
      <TextField
        {...common}
        label={texts.issuer}
        help={texts.issuerHelp}
        inputMode="url"
        value={values.issuer}
        onChange={(issuer) => form.change({ issuer })}
        error={problems.issuer}
      />
      <TextField
        {...common}
        label={texts.clientId}
        value={values.clientId}
        onChange={(clientId) => form.change({ clientId })}
        error={problems.clientId}
      />
      <TextField
        {...common}
        autoComplete="new-password"
        label={texts.secret}
        help={provider ? texts.secretKept : texts.secretHelp}
        type="password"
        value={values.secret}
        onChange={(secret) => form.change({ secret })}
        error={problems.secret}
      />
    </FormDialog>
  );
};
