import type { ReactNode } from "react";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { uiMessages } from "../ui/messages.ts";
import styles from "./administration.module.css";

interface ResultDialogProps {
  readonly title: string;
  readonly children: ReactNode;
  readonly onClose: () => void;
}

/** Shows a created value that is not shown again, such as a secret, until the admin closes it. */
export const ResultDialog = ({ title, children, onClose }: ResultDialogProps) => (
  <Dialog
    title={title}
    isOpen
    isForm
    onClose={onClose}
    actions={
      <Button variant="primary" onPress={onClose}>
        {uiMessages.close}
      </Button>
    }
  >
    <div className={styles.form}>{children}</div>
  </Dialog>
);
