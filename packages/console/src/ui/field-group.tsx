import type { ReactNode } from "react";
import field from "./field.module.css";
import { Problem } from "./problem.tsx";

interface FieldGroupProps {
  readonly label: string;
  readonly help?: string;
  /** Why the values are refused. */
  readonly error?: string | undefined;
  readonly children: ReactNode;
}

/** Fields that belong together, with their label, help and error. */
export const FieldGroup = ({ label, help, error, children }: FieldGroupProps) => (
  <fieldset className={field.group}>
    <legend className={field.label}>{label}</legend>
    {help !== undefined && <p className={field.help}>{help}</p>}
    {children}
    <Problem text={error} />
  </fieldset>
);
