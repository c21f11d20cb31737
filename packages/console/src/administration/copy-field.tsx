import { useId } from "react";
import { Button } from "../ui/button.tsx";
import field from "../ui/field.module.css";
import { showToast } from "../ui/toast-store.ts";
import styles from "./administration.module.css";
import { administrationMessages as texts } from "./messages.ts";

/** Copies a text, and says so. */
export const copyText = async (label: string, value: string): Promise<void> => {
  try {
    await navigator.clipboard.writeText(value);
    showToast(texts.copied(label));
  } catch {
    showToast(texts.copyFailed, { tone: "error" });
  }
};

interface CopyFieldProps {
  readonly label: string;
  /** Shows the label to screen readers only. */
  readonly isLabelHidden?: boolean;
  readonly value: string;
  /** Lines of a longer value, which is wrapped; a single line when absent. */
  readonly lines?: number;
}

/** A value for another program, with a button that copies it. */
export const CopyField = ({ label, isLabelHidden = false, value, lines }: CopyFieldProps) => {
  const id = useId();
  const shown = { id, readOnly: true, value, className: `${field.input} ${styles.code}` };
  return (
    <div className={field.field}>
      <label htmlFor={id} className={isLabelHidden ? "visually-hidden" : field.label}>
        {label}
      </label>
      <div className={styles.copyField}>
        {lines === undefined ? (
          <input {...shown} onFocus={({ currentTarget }) => currentTarget.select()} />
        ) : (
          <textarea {...shown} rows={lines} onFocus={({ currentTarget }) => currentTarget.select()} />
        )}
        <Button icon="copy" onPress={() => void copyText(label, value)} aria-label={texts.copy(label)}>
          {texts.copyShort}
        </Button>
      </div>
    </div>
  );
};
