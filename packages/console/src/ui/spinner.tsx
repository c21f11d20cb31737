import styles from "./spinner.module.css";
import { uiMessages } from "./messages.ts";

/** Shown while something loads; it appears after a moment, so that fast answers don't make it flash. */
export const Spinner = ({ label = uiMessages.loading }: { readonly label?: string }) => (
  <div className={styles.spinner} role="status">
    <span className={styles.circle} />
    <span className="visually-hidden">{label}</span>
  </div>
);
