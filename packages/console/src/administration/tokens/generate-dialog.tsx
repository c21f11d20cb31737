import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Select } from "../../ui/select.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { useWorkspace } from "../../workspace/workspace.ts";
import { adminCalls } from "../admin-client.ts";
import { CopyField } from "../copy-field.tsx";
import { ResultDialog } from "../result-dialog.tsx";
import { ADMIN_VALUES } from "../contract-values.ts";
import { FormDialog } from "../../forms/form-dialog.tsx";
import { useForm } from "../../forms/use-form.ts";
import { tokenMessages as texts } from "./messages.ts";
import { PermissionChoice } from "./permission-choice.tsx";
import { tokenBodyOf, LIFETIMES, newTokenValues, tokenProblemsOf, type Lifetime } from "./token-values.ts";
import { tokensQuery } from "./tokens-query.ts";

const labelOf = (days: Lifetime): string => (days < 365 ? texts.days(days) : texts.years(Math.round(days / 365)));

const Generated = ({ token, onClose }: { readonly token: string; readonly onClose: () => void }) => (
  <ResultDialog title={texts.createdTitle} onClose={onClose}>
    <p>{texts.onlyOnce}</p>
    <CopyField label={texts.token} value={token} />
    <CopyField label={texts.request} value={`curl -H "Authorization: Bearer ${token}" ${location.origin}/v2/agents`} />
  </ResultDialog>
);

/** The form of a new token, and then the token, which is shown only once. */
export const GenerateDialog = ({ onClose }: { readonly onClose: () => void }) => {
  const queries = useQueryClient();
  const { account } = useWorkspace();
  const [token, setToken] = useState<string>();
  const form = useForm({
    keptAt: "token",
    initial: newTokenValues(ADMIN_VALUES.permissions),
    check: tokenProblemsOf,
    async save(values) {
      const created = await adminCalls.createToken({ params: { account: account.name }, body: tokenBodyOf(values) });
      setToken(created.token);
      void queries.invalidateQueries({ queryKey: tokensQuery(account.name).queryKey });
    },
  });
  const { values, problems } = form;
  if (token !== undefined) return <Generated token={token} onClose={onClose} />;
  return (
    <FormDialog title={texts.generate} isWide form={form} action={texts.generate} onClose={onClose}>
      <TextField
        label={texts.name}
        help={texts.nameHelp}
        value={values.name}
        onChange={(name) => form.change({ name })}
        error={problems.name}
        autoFocus
      />
      <Select
        label={texts.lifetime}
        choices={LIFETIMES.map((days) => ({ id: days, label: labelOf(days) }))}
        value={values.days}
        onChange={(days) => form.change({ days })}
      />
      <PermissionChoice
        value={values.permissions}
        onChange={(permissions) => form.change({ permissions })}
        error={problems.permissions}
      />
    </FormDialog>
  );
};
