import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { uiMessages } from "../../ui/messages.ts";
import styles from "../administration.module.css";
import { CopyField } from "../copy-field.tsx";
import { webhookMessages as texts } from "./messages.ts";

interface SecretDialogProps {
  readonly title: string;
  readonly secret: string;
  /** What happens to earlier secrets. */
  readonly note?: string;
  readonly onClose: () => void;
}

/** A new secret, which is shown only once. */
export const SecretDialog = ({ title, secret, note, onClose }: SecretDialogProps) => (
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
    <div className={styles.form}>
      <p>{texts.onlyOnce}</p>
      <CopyField label={texts.secret} value={secret} />
      {note !== undefined && <p>{note}</p>}
    </div>
  </Dialog>
);
