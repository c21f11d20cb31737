import { lazy, Suspense, type ReactElement, type ReactNode } from "react";
import { DialogTrigger, Popover } from "react-aria-components";
import type { ListedChoice } from "./choice-list.tsx";
import styles from "./popup.module.css";
import { Spinner } from "./spinner.tsx";

const ChoiceList = lazy(() => import("./choice-list.tsx"));

interface ChoicePopoverProps {
  /** Name of the list for screen readers. */
  readonly label: string;
  readonly choices: readonly ListedChoice[];
  /** Id of the chosen entry. */
  readonly chosen?: string | undefined;
  readonly onChoose: (id: string) => void;
  readonly isOpen: boolean;
  readonly onOpenChange: (isOpen: boolean) => void;
  /** Shown in place of the list if there are no choices. */
  readonly empty?: string;
  /** Shown below the list. */
  readonly footer?: ReactNode;
  /** The button that opens it. */
  readonly children: ReactElement;
}

/** A button that opens a list to choose from, with a field to find the choice. */
export const ChoicePopover = ({
  label,
  isOpen,
  onOpenChange,
  onChoose,
  footer,
  children,
  ...list
}: ChoicePopoverProps) => (
  <DialogTrigger isOpen={isOpen} onOpenChange={onOpenChange}>
    {children}
    <Popover aria-label={label} className={styles.popover ?? ""} offset={4} placement="bottom start">
      <div className={styles.dialog}>
        <Suspense fallback={<Spinner />}>
          <ChoiceList
            {...list}
            label={label}
            onChoose={(id) => {
              onOpenChange(false);
              if (id !== list.chosen) onChoose(id);
            }}
          />
        </Suspense>
        {footer !== undefined && <div className={styles.footer}>{footer}</div>}
      </div>
    </Popover>
  </DialogTrigger>
);
