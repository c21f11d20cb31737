import type { ReactElement } from "react";
import { Tooltip, TooltipTrigger } from "react-aria-components";
import styles from "./hint.module.css";

interface HintProps {
  readonly text: string;
  /** Keys that do the same, such as `Ctrl+K`. */
  readonly keys?: string;
  /** The control that it belongs to, which must be focusable. */
  readonly children: ReactElement;
}

/** Shows the name of a control, and its keys, when it is hovered or focused. */
export const Hint = ({ text, keys, children }: HintProps) => (
  <TooltipTrigger delay={500} closeDelay={100}>
    {children}
    <Tooltip className={styles.hint ?? ""} offset={6}>
      {text}
      {keys !== undefined && <kbd className={styles.keys}>{keys}</kbd>}
    </Tooltip>
  </TooltipTrigger>
);
