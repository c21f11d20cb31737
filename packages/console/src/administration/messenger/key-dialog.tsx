import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Select } from "../../ui/select.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { showToast } from "../../ui/toast-store.ts";
import { useWorkspace } from "../../workspace/workspace.ts";
import { adminCalls } from "../admin-client.ts";
import { CopyField } from "../copy-field.tsx";
import { FormDialog } from "../form-dialog.tsx";
import { ResultDialog } from "../result-dialog.tsx";
import { useForm } from "../use-form.ts";
import { KEY_KINDS, keyProblemsOf, NEW_KEY_VALUES, newKeyOf } from "./key-values.ts";
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
    secrets: ["secret", "publicKey"],
    initial: NEW_KEY_VALUES,
    check: keyProblemsOf,
    async save(values) {
      const { signing_key: key, secret } = await adminCalls.createSigningKey({
        params: { account: account.name },
        body: newKeyOf(values),
      });
      await queries.invalidateQueries({ queryKey: signingQuery(account.name).queryKey });
      if (secret !== undefined) return setGenerated({ id: key.id, secret });
      showToast(texts.added(key.name));
      onClose();
    },
  });
  const { values, problems } = form;
  if (generated) return <Generated generated={generated} onClose={onClose} />;
  const common = { validationBehavior: "aria", autoComplete: "off" } as const;
  return (
    <FormDialog title={texts.addTitle} form={form} action={texts.add} onClose={onClose}>
      <TextField
        {...common}
        label={texts.name}
        help={texts.nameHelp}
        value={values.name}
        onChange={(name) => form.change({ name })}
        error={problems.name}
        autoFocus
      />
      <Select
        label={texts.kind}
        choices={KEY_KINDS.map((id) => ({ id, label: texts[id] }))}
        value={values.kind}
        onChange={(id) => KEY_KINDS.filter((kind) => kind === id).forEach((kind) => form.change({ kind }))}
      />
      {values.kind === "own" && (
        <TextField
          {...common}
          autoComplete="new-password"
          type="password"
          label={texts.ownSecret}
          help={texts.ownSecretHelp}
          value={values.secret}
          onChange={(secret) => form.change({ secret })}
          error={problems.secret}
        />
      )}
      {values.kind === "public" && (
        <TextField
          {...common}
          label={texts.publicKey}
          help={texts.publicKeyHelp}
          lines={8}
          placeholder="-----BEGIN PUBLIC KEY-----"
          value={values.publicKey}
          onChange={(publicKey) => form.change({ publicKey })}
          error={problems.publicKey}
        />
      )}
    </FormDialog>
  );
};
