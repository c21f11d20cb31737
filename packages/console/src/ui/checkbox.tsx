import type { ReactNode } from "react";
import { Checkbox as AriaCheckbox, Switch as AriaSwitch } from "react-aria-components";
import styles from "./field.module.css";
import { Icon } from "./icon.tsx";

interface CheckboxProps {
  /** Name for screen readers, if there are no children. */
  readonly label?: string;
  readonly isSelected: boolean;
  /** Some, but not all of what it stands for are selected. */
  readonly isIndeterminate?: boolean;
  readonly isDisabled?: boolean;
  readonly autoFocus?: boolean;
  /** Id of an element with its description. */
  readonly describedBy?: string;
  readonly onChange: (isSelected: boolean) => void;
  readonly children?: ReactNode;
}

export const Checkbox = ({ label, describedBy, children, ...props }: CheckboxProps) => (
  <AriaCheckbox
    {...props}
    {...(label !== undefined && { "aria-label": label })}
    {...(describedBy !== undefined && { "aria-describedby": describedBy })}
    className={styles.choice ?? ""}
  >
    {({ isSelected, isIndeterminate }) => (
      <>
        <span className={styles.box}>{(isSelected || isIndeterminate) && <Icon name="check" />}</span>
        {children}
      </>
    )}
  </AriaCheckbox>
);

interface SwitchProps extends Omit<CheckboxProps, "isIndeterminate" | "label" | "describedBy"> {
  readonly children: ReactNode;
}

/** A setting that takes effect at once. */
export const Switch = ({ children, ...props }: SwitchProps) => (
  <AriaSwitch {...props} className={styles.choice ?? ""}>
    <span className={styles.track} />
    <span>{children}</span>
  </AriaSwitch>
);
