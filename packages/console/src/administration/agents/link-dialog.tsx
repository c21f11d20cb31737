import type { IssuedLink } from "@parley/contract";
import { formatDateTime } from "../../i18n/format.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { uiMessages } from "../../ui/messages.ts";
import styles from "../administration.module.css";
import { CopyField } from "../copy-field.tsx";
import { agentPageMessages as texts } from "./agent-page-messages.ts";

interface LinkDialogProps {
  readonly title: string;
  /** A link that was not sent. */
  readonly issued: IssuedLink & { readonly link: string };
  readonly onClose: () => void;
}

/** A link that the admin passes on, as no mail was sent. */
export const LinkDialog = ({ title, issued: { link, email, expires_time }, onClose }: LinkDialogProps) => (
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
      <p>{texts.notSent(email)}</p>
      <CopyField label={texts.link} value={link} />
      <p className={styles.muted}>{texts.expires(formatDateTime(expires_time))}</p>
    </div>
  </Dialog>
);
