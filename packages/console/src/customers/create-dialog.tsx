import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useId, useState } from "react";
import { client } from "../session/session.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { errorText } from "../ui/error-text.ts";
import { uiMessages } from "../ui/messages.ts";
import { RestoredNote } from "../ui/restored-note.tsx";
import { TextField } from "../ui/text-field.tsx";
import { showToast } from "../ui/toast-store.ts";
import { useUnsavedState } from "../unsaved/use-unsaved.ts";
import { customerName, useWorkspace } from "../workspace/workspace.ts";
import { EDITED_FIELDS, faultOf, filledFields, type EditedField } from "./customer-fields.ts";
import { customerQuery } from "./customer-queries.ts";
import styles from "./dialogs.module.css";
import { customerMessages as texts, FAULT_TEXTS } from "./messages.ts";
import { refreshDirectory } from "./refresh-directory.ts";

type Values = Readonly<Record<EditedField, string>>;
const EMPTY: Values = { first_name: "", last_name: "", email: "", phone: "" };
const INPUT_TYPES = { first_name: "text", last_name: "text", email: "email", phone: "tel" } as const;

/** Asks for the fields of a new customer, creates it, and opens its page. */
const CreateDialog = ({ onClose }: { readonly onClose: () => void }) => {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const { agent } = useWorkspace();
  const formId = useId();
  const kept = useUnsavedState("customer new", EMPTY);
  const { value: values } = kept;
  const [isSubmitted, setSubmitted] = useState(false);
  const [isSaving, setSaving] = useState(false);
  const [problem, setProblem] = useState<string>();

  const fields = filledFields(values);
  const isNameless = Object.keys(fields).length === 0;
  const errorOf = (field: EditedField): string | undefined => {
    const fault = isSubmitted ? faultOf(field, values[field]) : undefined;
    return fault && FAULT_TEXTS[fault];
  };
  const cancel = (): void => {
    kept.forget();
    onClose();
  };
  const submit = async (): Promise<void> => {
    setSubmitted(true);
    if (isNameless || EDITED_FIELDS.some((field) => faultOf(field, values[field]))) return;
    setSaving(true);
    setProblem(undefined);
    try {
      const user = await client.users.createUser({ body: fields });
      kept.forget();
      onClose();
      void refreshDirectory(queries);
      showToast(texts.created(customerName(user)));
      // Agents with a narrow scope see a customer from the first conversation within it on.
      if (agent.scope !== "Global") return;
      queries.setQueryData(customerQuery(user.id).queryKey, user);
      await navigate({ to: "/customers/$customerId", params: { customerId: user.id } });
    } catch (error) {
      setProblem(errorText(error));
      setSaving(false);
    }
  };
  return (
    <Dialog
      title={texts.create}
      isOpen
      isForm
      onClose={cancel}
      actions={
        <>
          <Button variant="quiet" onPress={cancel}>
            {uiMessages.cancel}
          </Button>
          <Button variant="primary" type="submit" form={formId} isDisabled={isSaving}>
            {texts.createAction}
          </Button>
        </>
      }
    >
      <form
        id={formId}
        noValidate
        className={styles.form}
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        {kept.isRestored && <RestoredNote onReset={kept.reset} />}
        {EDITED_FIELDS.map((field) => (
          <TextField
            key={field}
            label={texts[field]}
            type={INPUT_TYPES[field]}
            autoComplete="off"
            autoFocus={field === "first_name"}
            value={values[field]}
            onChange={(value) => kept.change({ ...values, [field]: value })}
            error={errorOf(field)}
          />
        ))}
      </form>
      <div role="alert" className={styles.problem}>
        {isSubmitted && isNameless ? texts.nameless : problem}
      </div>
      {agent.scope !== "Global" && <p className={styles.help}>{texts.narrowScope}</p>}
    </Dialog>
  );
};
export default CreateDialog;
