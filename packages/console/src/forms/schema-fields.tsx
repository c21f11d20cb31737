import { Fragment, useId, type ReactNode } from "react";
import { Checkbox } from "../ui/checkbox.tsx";
import field from "../ui/field.module.css";
import { Select } from "../ui/select.tsx";
import { TextField } from "../ui/text-field.tsx";
import type { MemberSchema } from "./form-schema.ts";
import type { FormMember, SchemaForm } from "./schema-form.ts";
import type { FormState } from "./use-form.ts";

/** What a field of a form gets. */
export interface FieldProps<V extends object, T> {
  readonly value: T;
  readonly values: V;
  readonly problem: string | undefined;
  readonly onChange: (value: T) => void;
  /** Changes other values, too. */
  readonly change: FormState<V>["change"];
}

/** Renderers of fields in place of those that the schema has. They have no hooks. */
export type Widgets<V extends object> = {
  readonly [K in keyof V]?: (props: FieldProps<V, V[K]>) => ReactNode;
};

type Member = FormMember<object, object, unknown>;
interface WidgetProps extends FieldProps<object, unknown> {
  readonly member: Member;
  readonly schema: MemberSchema;
  readonly hasFocus: boolean;
  readonly help: string | undefined;
}

const CheckboxField = ({ member: { label, isFixed = false }, value, onChange, help }: WidgetProps) => {
  const id = useId();
  return (
    <div>
      <Checkbox isSelected={value === true} isDisabled={isFixed} {...(help && { describedBy: id })} onChange={onChange}>
        {label}
      </Checkbox>
      {help && (
        <p id={id} className={field.help}>
          {help}
        </p>
      )}
    </div>
  );
};

const ChoiceField = ({ member, schema, value, onChange, problem, help, hasFocus }: WidgetProps) => {
  const names: Readonly<Record<string, string>> = member.choices ?? {};
  return (
    <Select
      label={member.label}
      {...(help && { help })}
      choices={(schema.enum ?? []).map((id) => ({ id, label: names[id] ?? id }))}
      value={String(value)}
      isDisabled={member.isFixed ?? false}
      autoFocus={hasFocus}
      error={problem}
      onChange={onChange}
    />
  );
};

const TextMember = ({ member, value, values, onChange, problem, help, hasFocus }: WidgetProps) => (
  <TextField
    label={member.label}
    {...(help !== undefined && { help })}
    {...(member.lines !== undefined && { lines: member.lines })}
    {...(member.placeholder !== undefined && { placeholder: member.placeholder })}
    {...(member.isAddress && { inputMode: "url" })}
    {...(member.inputMode && { inputMode: member.inputMode })}
    {...(member.isSecret && { type: "password" })}
    autoComplete={member.isSecret ? "new-password" : "off"}
    value={String(value) || (member.fallback?.(values) ?? "")}
    onChange={onChange}
    isReadOnly={member.isFixed ?? false}
    isRequired={member.missing !== undefined}
    error={problem}
    autoFocus={hasFocus}
  />
);

/** The field that the schema of a value has: a checkbox, a list of choices, or a field for text. */
const SchemaField = (props: WidgetProps) => {
  if (props.schema.type === "boolean") return <CheckboxField {...props} />;
  return props.schema.enum ? <ChoiceField {...props} /> : <TextMember {...props} />;
};

interface SchemaFieldsProps<R extends object, V extends object> {
  readonly form: SchemaForm<R, V>;
  readonly state: Pick<FormState<V>, "values" | "problems" | "change">;
  readonly widgets?: Widgets<V> | undefined;
  /** Some of the fields; all when absent. */
  readonly names?: readonly (keyof V & string)[];
}

/** The fields of a form for a record. The first field of the form has the focus, if it is a text that can be changed. */
export const SchemaFields = <R extends object, V extends object>(props: SchemaFieldsProps<R, V>): ReactNode => {
  const { values, problems, change } = props.state;
  const members = Object.entries(props.form.members) as [keyof V & string, Member][];
  const shown = members.filter(([, { isShown }]) => isShown?.(values) !== false);
  return shown.map(([name, member], index) => {
    if (props.names?.includes(name) === false) return undefined;
    const field: FieldProps<V, V[typeof name]> = {
      value: values[name],
      values,
      problem: problems[name],
      onChange: (value) => change({ [name]: value } as unknown as Partial<V>),
      change,
    };
    const widget = props.widgets?.[name];
    if (widget) return <Fragment key={name}>{widget(field)}</Fragment>;
    return (
      <SchemaField
        key={name}
        {...(field as unknown as FieldProps<object, unknown>)}
        member={member}
        schema={props.form.schema[name] ?? {}}
        help={typeof member.help === "function" ? member.help(values) : member.help}
        hasFocus={index === 0 && member.isFixed !== true}
      />
    );
  });
};
