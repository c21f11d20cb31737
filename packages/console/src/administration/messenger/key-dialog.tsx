import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { showToast } from "../../ui/toast-store.ts";
import { useWorkspace } from "../../workspace/workspace.ts";
import { adminCalls } from "../admin-client.ts";
import { CopyField } from "../copy-field.tsx";
import { FormDialog } from "../../forms/form-dialog.tsx";
import { ResultDialog } from "../result-dialog.tsx";
import { SchemaFields } from "../../forms/schema-fields.tsx";
import { formProblemsOf, formValuesOf, recordOf } from "../../forms/schema-form.ts";
import { useForm } from "../../forms/use-form.ts";
import { keyForm } from "./key-form.ts";
import { signingMessages as texts } from "./signing-messages.ts";
import { signingQuery } from "./signing-query.ts";

/** The generated secret of a key. */
interface GeneratedSecret {
  readonly id: string;
  readonly secret: string;
}

const Generated = ({ generated, onClose }: { readonly generated: GeneratedSecret; readonly onClose: () => void }) => (
  <ResultDialog title={texts.createdTitle} onClose={onClose}>
    <p>{texts.onlyOnce}</p>
    <CopyField label={texts.secret} value={generated.secret} />
    <CopyField label={texts.keyId} value={generated.id} />
  </ResultDialog>
);

/** The form of a new key, and then its secret if one was generated, which is shown only once. */
export const KeyDialog = ({ onClose }: { readonly onClose: () => void }) => {
  const queries = useQueryClient();
  const { account } = useWorkspace();
  const [generated, setGenerated] = useState<GeneratedSecret>();
  const form = useForm({
    keptAt: "signing key",
    secrets: ["secret", "public_key"],
    initial: formValuesOf(keyForm),
    check: (values) => formProblemsOf(keyForm, values),
    async save(values) {
      const { signing_key: key, secret } = await adminCalls.createSigningKey({
        params: { account: account.name },
        body: recordOf(keyForm, values),
      });
      await queries.invalidateQueries({ queryKey: signingQuery(account.name).queryKey });
      if (secret !== undefined) return setGenerated({ id: key.id, secret });
      showToast(texts.added(key.name));
      onClose();
    },
  });
  if (generated) return <Generated generated={generated} onClose={onClose} />;
  return (
    <FormDialog title={texts.addTitle} form={form} action={texts.add} onClose={onClose}>
      <SchemaFields form={keyForm} state={form} />
    </FormDialog>
  );
};
