import type { Field, InboxItem, PropertyValue } from "@parley/contract";
import { useQueryClient } from "@tanstack/react-query";
import { useRef, type FocusEvent, type KeyboardEvent } from "react";
import { changeProperties } from "../conversation/actions.ts";
import { PropertyInput, propertyProblem } from "../conversation/property-input.tsx";
import { IconButton } from "../ui/button.tsx";
import { useUnsavedState } from "../unsaved/use-unsaved.ts";
import styles from "./details.module.css";
import { detailsMessages as texts } from "./messages.ts";
import { isChosen, isSameValue, savedValue } from "./property-values.ts";

interface PropertyFieldProps {
  readonly item: InboxItem;
  readonly field: Field;
}

const shownText = ({ type }: Field, value: PropertyValue): string => {
  if (value.length === 0) return texts.noValue;
  if (typeof value !== "string") return value.join(", ");
  if (type !== "CHECKBOX") return value;
  return value === "true" ? texts.yes : texts.no;
};

const FixedProperty = ({ item, field }: PropertyFieldProps) => (
  <dl title={texts.fixed}>
    <dt className={styles.label}>{field.label}</dt>
    <dd className={styles.fixed}>{shownText(field, item.properties[field.name] ?? "")}</dd>
  </dl>
);

const EditedProperty = ({ item, field }: PropertyFieldProps) => {
  const queries = useQueryClient();
  const { name, type, label, required } = field;
  const present = item.properties[name] ?? "";
  /** Typed text that is not saved yet. */
  const kept = useUnsavedState<PropertyValue | undefined>(`property ${item.conversation_id} ${name}`, undefined);
  const { value: draft, change: setDraft } = kept;
  const latest = useRef(draft);
  latest.current = draft;
  const value = draft ?? present;
  const problem =
    draft === undefined
      ? undefined
      : (propertyProblem(field, savedValue(field, draft)) ?? (kept.isRestored ? texts.notSavedYet : undefined));

  const save = async (next: PropertyValue): Promise<void> => {
    const saved = savedValue(field, next);
    if (propertyProblem(field, saved) !== undefined) return;
    if (isSameValue(saved, present)) return setDraft(undefined);
    // The cache shows the new value at once; the typed text remains if the service refuses it.
    const isSaved = await changeProperties(queries, item, { [name]: saved });
    const later = latest.current;
    if (isSaved && later !== undefined && isSameValue(later, next)) setDraft(undefined);
  };
  const change = (next: PropertyValue): void => {
    if (isChosen(field)) void save(next);
    else setDraft(next);
  };
  const onBlur = ({ currentTarget, relatedTarget }: FocusEvent): void => {
    if (draft !== undefined && !currentTarget.contains(relatedTarget)) void save(draft);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (draft === undefined || event.nativeEvent.isComposing) return;
    // A value that is being saved is shown as the present value already: Escape then does the same as without a change.
    if (event.key === "Escape" && !isSameValue(savedValue(field, draft), present)) {
      event.stopPropagation();
      setDraft(undefined);
    }
    if (event.key === "Enter" && (type !== "PARAGRAPH" || event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      void save(draft);
    }
  };
  const isClearable = (type === "DROPDOWN" || type === "CHECKBOX") && !required && present.length > 0;
  return (
    <div className={styles.property} onBlur={onBlur} onKeyDown={onKeyDown}>
      <div className={styles.input}>
        <PropertyInput
          field={required ? { ...field, label: texts.required(label) } : field}
          value={value}
          onChange={change}
          error={problem}
        />
      </div>
      {isClearable && <IconButton isSmall icon="close" label={texts.clear(label)} onPress={() => void save("")} />}
    </div>
  );
};

/** A property of a conversation: its control, or its value if agents may not change it. */
export const PropertyField = (props: PropertyFieldProps) =>
  props.field.editable ? <EditedProperty {...props} /> : <FixedProperty {...props} />;
