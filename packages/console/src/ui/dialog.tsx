import type { ReactNode } from "react";
import { Dialog as AriaDialog, Heading, Modal, ModalOverlay } from "react-aria-components";
import { classes } from "./classes.ts";
import { IconButton } from "./button.tsx";
import styles from "./dialog.module.css";
import { uiMessages } from "./messages.ts";

interface DialogProps {
  readonly title: string;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly isWide?: boolean;
  /** A choice that can't be undone, or that interrupts the agent. */
  readonly isAlert?: boolean;
  /** A form with longer texts: a click outside, which may be a slip, does not close it. */
  readonly isForm?: boolean;
  /** It can't be closed without an answer. */
  readonly isRequired?: boolean;
  readonly children: ReactNode;
  /** Buttons; the confirming button comes last. */
  readonly actions?: ReactNode;
}

/** A dialog above the page. Escape and a click outside close it, unless it is an alert or a form. */
export const Dialog = ({
  title,
  isOpen,
  onClose,
  isWide = false,
  isAlert = false,
  isForm = false,
  isRequired = false,
  children,
  actions,
}: DialogProps) => (
  <ModalOverlay
    isOpen={isOpen}
    onOpenChange={(open) => !open && onClose()}
    isDismissable={!isAlert && !isForm}
    isKeyboardDismissDisabled={isRequired}
    className={styles.overlay ?? ""}
  >
    <Modal className={classes(styles.modal, isWide && styles.wide)}>
      <AriaDialog role={isAlert ? "alertdialog" : "dialog"} className={styles.dialog ?? ""}>
        <header className={styles.header}>
          <Heading slot="title" level={2} className={styles.title ?? ""}>
            {title}
          </Heading>
          {!isRequired && <IconButton icon="close" label={uiMessages.close} onPress={onClose} />}
        </header>
        <div className={styles.body}>{children}</div>
        {actions !== undefined && <footer className={styles.actions}>{actions}</footer>}
      </AriaDialog>
    </Modal>
  </ModalOverlay>
);
