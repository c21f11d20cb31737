import type { User } from "@parley/contract";
import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useId, useState } from "react";
import { client } from "../session/session.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { errorText } from "../ui/error-text.ts";
import { uiMessages } from "../ui/messages.ts";
import { TextField } from "../ui/text-field.tsx";
import { showToast } from "../ui/toast-store.ts";
import { customerName } from "../workspace/workspace.ts";
import { dropCustomer } from "./customer-cache.ts";
import styles from "./dialogs.module.css";
import { customerMessages as texts } from "./messages.ts";

const LOSSES = [texts.deleteProfile, texts.deleteMessages, texts.deleteRatings] as const;

const isSameText = (one: string, other: string): boolean =>
  one.trim().replace(/\s+/g, " ").toLowerCase() === other.trim().replace(/\s+/g, " ").toLowerCase();

interface DeleteDialogProps {
  readonly user: User;
  readonly onClose: () => void;
  readonly onExport: () => void;
}

/** Deletes a customer once the agent has typed the name. */
const DeleteDialog = ({ user, onClose, onExport }: DeleteDialogProps) => {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const formId = useId();
  const name = customerName(user);
  const [typed, setTyped] = useState("");
  const [isDeleting, setDeleting] = useState(false);
  const [problem, setProblem] = useState<string>();
  const isConfirmed = isSameText(typed, name);

  const submit = async (): Promise<void> => {
    if (!isConfirmed || isDeleting) return;
    setDeleting(true);
    setProblem(undefined);
    try {
      await client.users.deleteUser({ params: { user_id: user.id } });
      onClose();
      showToast(texts.deleted(name));
      await navigate({ to: "/customers", search: {}, replace: true });
      dropCustomer(queries, user.id);
    } catch (error) {
      setProblem(errorText(error));
      setDeleting(false);
    }
  };
  return (
    <Dialog
      title={texts.deleteTitle(name)}
      isOpen
      isAlert
      onClose={onClose}
      actions={
        <>
          <Button variant="quiet" onPress={onClose}>
            {uiMessages.cancel}
          </Button>
          <Button icon="download" onPress={onExport}>
            {texts.deleteExport}
          </Button>
          <Button variant="danger" type="submit" form={formId} isDisabled={!isConfirmed || isDeleting}>
            {texts.deleteAction}
          </Button>
        </>
      }
    >
      <p>{texts.deleteText}</p>
      <ul className={styles.losses}>
        {LOSSES.map((loss) => (
          <li key={loss}>{loss}</li>
        ))}
      </ul>
      <p className={styles.help}>{texts.deleteKept}</p>
      <form
        id={formId}
        className={styles.confirm}
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        <TextField label={texts.deleteConfirm(name)} autoComplete="off" autoFocus value={typed} onChange={setTyped} />
      </form>
      <div role="alert" className={styles.problem}>
        {problem}
      </div>
    </Dialog>
  );
};
export default DeleteDialog;
