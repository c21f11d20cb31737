import type { User } from "@parley/contract";
import { visibleName } from "@parley/contract/display";
import { useQueryClient } from "@tanstack/react-query";
import { useRef, useState, type KeyboardEvent } from "react";
import { Input, Label, TextField, FieldError } from "react-aria-components";
import { Button, IconButton } from "../ui/button.tsx";
import { errorText } from "../ui/error-text.ts";
import fieldStyles from "../ui/field.module.css";
import { uiMessages } from "../ui/messages.ts";
import { unsavedAt } from "../unsaved/unsaved-store.ts";
import { useUnsavedState } from "../unsaved/use-unsaved.ts";
import { changeCustomer } from "./change-customer.ts";
import { CopyButton } from "./copy-button.tsx";
import { faultOf, type EditedField } from "./customer-fields.ts";
import styles from "./customer.module.css";
import { customerMessages as texts, FAULT_TEXTS } from "./messages.ts";

interface FieldProps {
  readonly user: User;
  readonly field: EditedField;
}

const INPUT_TYPES: Readonly<Record<EditedField, "text" | "email" | "tel">> = {
  first_name: "text",
  last_name: "text",
  email: "email",
  phone: "tel",
};

const placeOf = (user: User, field: EditedField): string => `customer ${user.id} ${field}`;

interface FieldEditorProps extends FieldProps {
  /** Opened by the agent, and not since something was typed in an earlier page. */
  readonly takesFocus: boolean;
  readonly onClose: () => void;
}

/** Enter saves, Escape leaves the value as it was. */
const FieldEditor = ({ user, field, takesFocus, onClose }: FieldEditorProps) => {
  const queries = useQueryClient();
  const { value, change, forget } = useUnsavedState(placeOf(user, field), user[field] ?? "");
  const [error, setError] = useState<string>();
  const [isSaving, setSaving] = useState(false);

  const cancel = (): void => {
    forget();
    onClose();
  };
  const submit = async (): Promise<void> => {
    const fault = faultOf(field, value);
    if (fault) return setError(FAULT_TEXTS[fault]);
    setSaving(true);
    try {
      await changeCustomer(queries, user, field, value.trim());
      forget();
      onClose();
    } catch (refusal) {
      setError(errorText(refusal));
      setSaving(false);
    }
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== "Escape") return;
    event.stopPropagation();
    cancel();
  };
  return (
    <form
      className={styles.editor}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
      onKeyDown={onKeyDown}
    >
      <TextField
        type={INPUT_TYPES[field]}
        value={value}
        onChange={(text) => {
          change(text);
          setError(undefined);
        }}
        isInvalid={error !== undefined}
        autoFocus={takesFocus}
        className={fieldStyles.field ?? ""}
      >
        <Label className={fieldStyles.label ?? ""}>{texts[field]}</Label>
        <Input className={fieldStyles.input ?? ""} autoComplete="off" />
        <FieldError className={fieldStyles.error ?? ""}>{error}</FieldError>
      </TextField>
      <div className={styles.editorActions}>
        <Button isSmall variant="primary" type="submit" isDisabled={isSaving}>
          {uiMessages.save}
        </Button>
        <Button isSmall variant="quiet" onPress={cancel}>
          {uiMessages.cancel}
        </Button>
      </div>
    </form>
  );
};

const LINK_PREFIXES: Partial<Record<EditedField, string>> = { email: "mailto:", phone: "tel:" };

const FieldValue = ({ field, value }: { readonly field: EditedField; readonly value: string }) => {
  const prefix = LINK_PREFIXES[field];
  return prefix === undefined ? (
    <span className={styles.value}>{visibleName(value)}</span>
  ) : (
    <a className={styles.value} href={prefix + value.replace(/\s/g, "")} rel="noopener noreferrer">
      {visibleName(value)}
    </a>
  );
};

/** A field of a customer with buttons that copy and change it. */
export const EditableField = ({ user, field }: FieldProps) => {
  const [isEditing, setEditing] = useState(() => unsavedAt(placeOf(user, field)) !== undefined);
  const [isOpened, setOpened] = useState(false);
  const row = useRef<HTMLDivElement>(null);
  const value = user[field] ?? "";
  const close = (): void => {
    setEditing(false);
    // The button that opened the editor has the focus again.
    requestAnimationFrame(() => row.current?.querySelector<HTMLElement>("button[data-edit]")?.focus());
  };
  if (isEditing)
    return (
      <div className={styles.field}>
        <dt className="visually-hidden">{texts[field]}</dt>
        <dd>
          <FieldEditor user={user} field={field} takesFocus={isOpened} onClose={close} />
        </dd>
      </div>
    );
  return (
    <div className={styles.field} ref={row}>
      <dt className={styles.name}>{texts[field]}</dt>
      <dd className={styles.line}>
        {value === "" ? <span className={styles.absent}>–</span> : <FieldValue field={field} value={value} />}
        <span className={styles.tools}>
          {value !== "" && (field === "email" || field === "phone") && (
            <CopyButton field={texts[field]} value={value} />
          )}
          <IconButton
            isSmall
            data-edit
            icon={value === "" ? "plus" : "edit"}
            label={value === "" ? texts.add(texts[field]) : texts.edit(texts[field])}
            onPress={() => {
              setOpened(true);
              setEditing(true);
            }}
          />
        </span>
      </dd>
    </div>
  );
};
