import type { ReactNode } from "react";
import { Switch } from "../ui/checkbox.tsx";
import styles from "./preferences.module.css";

export const PreferencesSection = ({ title, children }: { readonly title: string; readonly children: ReactNode }) => (
  <section className={styles.section}>
    <h2 className={styles.heading}>{title}</h2>
    {children}
  </section>
);

interface LabelledSwitchProps {
  readonly label: string;
  readonly help: string;
  readonly isSelected: boolean;
  readonly isDisabled?: boolean;
  readonly onChange: (isSelected: boolean) => void;
}

/** A switch with an explanation below it. */
export const LabelledSwitch = ({ label, help, ...props }: LabelledSwitchProps) => (
  <div>
    <Switch {...props}>{label}</Switch>
    <p className={`${styles.help} ${styles.indented}`}>{help}</p>
  </div>
);
