import type { IssuedLink } from "@parley/contract";
import { formatDateTime } from "../../i18n/format.ts";
import styles from "../administration.module.css";
import { CopyField } from "../copy-field.tsx";
import { ResultDialog } from "../result-dialog.tsx";
import { agentPageMessages as texts } from "./agent-page-messages.ts";

interface LinkDialogProps {
  readonly title: string;
  /** A link that was not sent. */
  readonly issued: IssuedLink & { readonly link: string };
  readonly onClose: () => void;
}

/** A link that the admin passes on, as no mail was sent. */
export const LinkDialog = ({ title, issued: { link, email, expires_time }, onClose }: LinkDialogProps) => (
  <ResultDialog title={title} onClose={onClose}>
    <p>{texts.notSent(email)}</p>
    <CopyField label={texts.link} value={link} />
    <p className={styles.muted}>{texts.expires(formatDateTime(expires_time))}</p>
  </ResultDialog>
);
