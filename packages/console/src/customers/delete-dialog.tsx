import type { User } from "@parley/contract";
import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { client } from "../session/session.ts";
import { Button } from "../ui/button.tsx";
import { ConfirmDialog } from "../ui/confirm-dialog.tsx";
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
  const name = customerName(user);
  const remove = async (): Promise<void> => {
    await client.users.deleteUser({ params: { user_id: user.id } });
    showToast(texts.deleted(name));
    await navigate({ to: "/customers", search: {}, replace: true });
    dropCustomer(queries, user.id);
  };
  return (
    <ConfirmDialog
      title={texts.deleteTitle(name)}
      text={texts.deleteText}
      action={texts.deleteAction}
      typed={{ label: texts.deleteConfirm(name), isMatch: (text) => isSameText(text, name) }}
      buttons={
        <Button icon="download" onPress={onExport}>
          {texts.deleteExport}
        </Button>
      }
      run={remove}
      onClose={onClose}
    >
      <ul className={styles.losses}>
        {LOSSES.map((loss) => (
          <li key={loss}>{loss}</li>
        ))}
      </ul>
      <p className={styles.kept}>{texts.deleteKept}</p>
    </ConfirmDialog>
  );
};
export default DeleteDialog;
