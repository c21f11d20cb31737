import type { Field } from "@parley/contract";
import { useState, type KeyboardEvent } from "react";
import { Select, type Choice } from "../ui/select.tsx";
import { TextField } from "../ui/text-field.tsx";
import { useWorkspace } from "../workspace/workspace.ts";
import styles from "./filter-form.module.css";
import { inboxMessages as texts } from "./messages.ts";
import { splitProperty } from "./filter-texts.ts";

const NONE = "none";

interface PropertyFilterProps {
  /** `<name>:<value>` */
  readonly property: string | undefined;
  readonly onChange: (property: string | undefined) => void;
}

/** Values to choose from; undefined for a field whose value is typed. */
const valuesOf = ({ type, choices }: Field): readonly Choice[] | undefined => {
  if (type === "CHECKBOX")
    return [
      { id: "true", label: texts.checked },
      { id: "false", label: texts.notChecked },
    ];
  return choices.length > 0 ? choices.map(({ value }) => ({ id: value, label: value })) : undefined;
};

/** A field and the value that it has in the listed conversations. */
export const PropertyFilter = ({ property, onChange }: PropertyFilterProps) => {
  const { fields } = useWorkspace();
  const custom = fields.filter(({ name }) => name.startsWith("cf_"));
  const chosen = property === undefined ? undefined : splitProperty(property);
  const [name, setName] = useState(chosen?.name);
  const [text, setText] = useState(chosen?.value ?? "");
  const field = custom.find((each) => each.name === name);
  const values = field && valuesOf(field);
  if (custom.length === 0) return undefined;

  const chooseField = (id: string): void => {
    setName(id === NONE ? undefined : id);
    setText("");
    if (property !== undefined) onChange(undefined);
  };
  const submitText = (): void => {
    const value = text.trim();
    if (value !== (chosen?.value ?? "")) onChange(name === undefined || value === "" ? undefined : `${name}:${value}`);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === "Enter") submitText();
  };
  return (
    <div className={styles.property}>
      <Select
        label={texts.property}
        choices={[{ id: NONE, label: texts.any }, ...custom.map(({ name: id, label }) => ({ id, label }))]}
        value={name ?? NONE}
        onChange={chooseField}
      />
      {field && values && (
        <Select
          label={field.label}
          choices={values}
          value={chosen?.value ?? null}
          onChange={(value) => onChange(`${field.name}:${value}`)}
        />
      )}
      {field && !values && (
        <TextField
          label={field.label}
          help={texts.propertyHelp}
          value={text}
          onChange={setText}
          onBlur={submitText}
          onKeyDown={onKeyDown}
        />
      )}
    </div>
  );
};
