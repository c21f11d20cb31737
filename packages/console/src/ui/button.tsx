import type { ReactNode } from "react";
import { Button as AriaButton, type ButtonProps as AriaButtonProps } from "react-aria-components";
import styles from "./button.module.css";
import { classes } from "./classes.ts";
import { Icon, type IconName } from "./icon.tsx";
import { Hint } from "./hint.tsx";

type ButtonVariant = "primary" | "secondary" | "quiet" | "danger";

interface ButtonProps extends Omit<AriaButtonProps, "className" | "style"> {
  readonly variant?: ButtonVariant;
  readonly isSmall?: boolean;
  readonly icon?: IconName;
  readonly children?: ReactNode;
}

/** A button with a text, and an icon before it if `icon` is given. */
export const Button = ({ variant = "secondary", isSmall = false, icon, children, ...props }: ButtonProps) => (
  <AriaButton {...props} className={classes(styles.button, styles[variant], isSmall && styles.small)}>
    {icon && <Icon name={icon} />}
    {children}
  </AriaButton>
);

interface IconButtonProps extends Omit<ButtonProps, "children" | "icon" | "aria-label"> {
  readonly icon: IconName;
  /** Name of the button, which is also shown as a hint. */
  readonly label: string;
  /** Keys that do the same, for the hint. */
  readonly keys?: string;
}

/** A button with an icon only. */
export const IconButton = ({ icon, label, keys, variant = "quiet", isSmall = false, ...props }: IconButtonProps) => (
  <Hint text={label} {...(keys !== undefined && { keys })}>
    <AriaButton
      {...props}
      aria-label={label}
      className={classes(styles.button, styles[variant], styles.icon, isSmall && styles.small)}
    >
      <Icon name={icon} />
    </AriaButton>
  </Hint>
);
