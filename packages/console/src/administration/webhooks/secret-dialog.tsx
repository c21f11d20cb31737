import { CopyField } from "../copy-field.tsx";
import { ResultDialog } from "../result-dialog.tsx";
import { webhookMessages as texts } from "./messages.ts";

interface SecretDialogProps {
  readonly title: string;
  readonly secret: string;
  /** A sentence about earlier secrets. */
  readonly note?: string;
  readonly onClose: () => void;
}

/** A new secret, which is shown only once. */
export const SecretDialog = ({ title, secret, note, onClose }: SecretDialogProps) => (
  <ResultDialog title={title} onClose={onClose}>
    <p>{texts.onlyOnce}</p>
    <CopyField label={texts.secret} value={secret} />
    {note !== undefined && <p>{note}</p>}
  </ResultDialog>
);
