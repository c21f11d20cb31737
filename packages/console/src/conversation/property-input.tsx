import type { Field, PropertyValue } from "@parley/contract";
import { Checkbox } from "../ui/checkbox.tsx";
import field from "../ui/field.module.css";
import { Select } from "../ui/select.tsx";
import { TextField } from "../ui/text-field.tsx";
import { conversationMessages as texts } from "./messages.ts";

interface PropertyInputProps {
  readonly field: Field;
  /** An empty text or list: no value. */
  readonly value: PropertyValue;
  readonly onChange: (value: PropertyValue) => void;
  readonly error?: string | undefined;
  readonly autoFocus?: boolean;
}

/** -> why the service would refuse a value; undefined for a valid or an absent value */
export const propertyProblem = ({ type }: Pick<Field, "type">, value: PropertyValue): string | undefined => {
  if (typeof value !== "string" || value === "") return undefined;
  if (type === "NUMBER" && !/^-?\d{1,15}$/.test(value)) return texts.notANumber;
  return type === "DECIMAL" && !/^-?\d{1,15}(\.\d{1,15})?$/.test(value) ? texts.notADecimal : undefined;
};

const YES_NO = [
  { id: "true", label: texts.yes },
  { id: "false", label: texts.no },
];

const MultiSelect = ({ field: { label, choices }, value, onChange, error, autoFocus = false }: PropertyInputProps) => {
  const chosen = typeof value === "string" ? [value].filter(Boolean) : value;
  return (
    <fieldset className={field.group}>
      <legend className={field.label}>{label}</legend>
      {choices.map(({ id, value: choice }, index) => (
        <Checkbox
          key={id}
          autoFocus={autoFocus && index === 0}
          isSelected={chosen.includes(choice)}
          onChange={(isSelected) =>
            onChange(isSelected ? [...chosen, choice] : chosen.filter((each) => each !== choice))
          }
        >
          {choice}
        </Checkbox>
      ))}
      {error !== undefined && <span className={field.error}>{error}</span>}
    </fieldset>
  );
};

/** The control for a conversation property, by its type. */
export const PropertyInput = (props: PropertyInputProps) => {
  const { field: property, value, onChange, error, autoFocus = false } = props;
  const { label, type, required, choices } = property;
  const text = typeof value === "string" ? value : "";
  if (type === "MULTI_SELECT_DROPDOWN") return <MultiSelect {...props} />;
  if (type === "DROPDOWN" || type === "CHECKBOX")
    return (
      <Select
        label={label}
        choices={type === "CHECKBOX" ? YES_NO : choices.map((choice) => ({ id: choice.value, label: choice.value }))}
        value={text === "" ? null : text}
        onChange={onChange}
        isRequired={required}
        error={error}
        autoFocus={autoFocus}
      />
    );
  return (
    <TextField
      label={label}
      value={type === "DATE" ? text.slice(0, 10) : text}
      onChange={onChange}
      isRequired={required}
      error={error}
      autoFocus={autoFocus}
      {...(type === "DATE" && { type: "date" as const })}
      {...((type === "NUMBER" || type === "DECIMAL") && { inputMode: "decimal" as const })}
      {...(type === "PARAGRAPH" && { lines: 3 })}
    />
  );
};
