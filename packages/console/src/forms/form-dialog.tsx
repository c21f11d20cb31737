import { useId, type ReactNode } from "react";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { uiMessages } from "../ui/messages.ts";
import { Problem } from "../ui/problem.tsx";
import { RestoredNote } from "../ui/restored-note.tsx";
import type { FormState } from "./use-form.ts";
import styles from "./form.module.css";

interface FormDialogProps {
  readonly title: string;
  readonly isWide?: boolean;
  /** The values are shown, and not changed. */
  readonly isReadOnly?: boolean;
  /** The action of the form can't be undone. */
  readonly isDanger?: boolean;
  readonly form: Pick<FormState<object>, "refusal" | "isSaving" | "isRestored" | "submit" | "reset" | "discard">;
  /** Label of the button; Save when absent. */
  readonly action?: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** A dialog with the fields of a form. Enter in a field submits it, too. */
export const FormDialog = ({
  title,
  isWide = false,
  isReadOnly = false,
  isDanger = false,
  form,
  action = uiMessages.save,
  onClose,
  children,
}: FormDialogProps) => {
  const id = useId();
  const cancel = (): void => {
    form.discard();
    onClose();
  };
  return (
    <Dialog
      title={title}
      isOpen
      isWide={isWide}
      isForm={!isReadOnly}
      onClose={cancel}
      actions={
        <>
          <Button onPress={cancel}>{isReadOnly ? uiMessages.close : uiMessages.cancel}</Button>
          {!isReadOnly && (
            <Button variant={isDanger ? "danger" : "primary"} type="submit" form={id} isDisabled={form.isSaving}>
              {action}
            </Button>
          )}
        </>
      }
    >
      <form
        id={id}
        className={styles.form}
        onSubmit={(event) => {
          event.preventDefault();
          void form.submit();
        }}
      >
        {form.isRestored && <RestoredNote onReset={form.reset} />}
        {children}
        <Problem text={form.refusal} />
      </form>
    </Dialog>
  );
};
