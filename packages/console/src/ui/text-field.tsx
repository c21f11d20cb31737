import { useState } from "react";
import { FieldError, Input, Label, Text, TextArea, TextField as AriaTextField } from "react-aria-components";
import type { TextFieldProps as AriaTextFieldProps } from "react-aria-components";
import styles from "./field.module.css";

interface TextFieldProps extends Omit<AriaTextFieldProps, "className" | "style" | "children"> {
  readonly label: string;
  readonly help?: string;
  /** Why the value is refused. */
  readonly error?: string | undefined;
  readonly placeholder?: string;
  /** Lines of a field for longer text; a single-line field when absent. */
  readonly lines?: number;
}

/** A field for text with its label, help and error. */
export const TextField = ({ label, help, error, placeholder, lines, ...props }: TextFieldProps) => (
  <AriaTextField validationBehavior="aria" {...props} isInvalid={error !== undefined} className={styles.field ?? ""}>
    <Label className={styles.label ?? ""}>{label}</Label>
    {lines === undefined ? (
      <Input className={styles.input ?? ""} placeholder={placeholder} />
    ) : (
      <TextArea className={styles.input ?? ""} placeholder={placeholder} rows={lines} />
    )}
    {help !== undefined && (
      <Text slot="description" className={styles.help ?? ""}>
        {help}
      </Text>
    )}
    <FieldError className={styles.error ?? ""}>{error}</FieldError>
  </AriaTextField>
);

/** The state of a field that shows an error only after its value was submitted. -> the value, its setter and the error to show */
export const useCheckedText = (initial: string, check: (value: string) => string | undefined) => {
  const [value, setValue] = useState(initial);
  const [isSubmitted, setSubmitted] = useState(false);
  const problem = check(value);
  return {
    value,
    setValue,
    error: isSubmitted ? problem : undefined,
    submit: () => (setSubmitted(true), problem === undefined),
  };
};
