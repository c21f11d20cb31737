import type { InboxItem } from "@parley/contract";
import { lazy, Suspense, type KeyboardEvent } from "react";
import { Dialog, Heading, Modal, ModalOverlay } from "react-aria-components";
import { isForField } from "../shortcuts/keys.ts";
import { IconButton } from "../ui/button.tsx";
import { focusStart } from "../ui/focus-keeper.ts";
import { Spinner } from "../ui/spinner.tsx";
import { threadMessages as texts } from "./messages.ts";
import styles from "./pane.module.css";

const DetailsPanel = lazy(async () => ({ default: (await import("../details/details-panel.tsx")).DetailsPanel }));

/** Whether and where the details of the open conversation are shown. */
export interface DetailsState {
  /** Above the conversation instead of beside it: the window is narrow. */
  readonly isSheet: boolean;
  readonly isOpen: boolean;
  readonly toggle: () => void;
  readonly close: () => void;
}

interface DetailsAreaProps {
  readonly item: InboxItem;
  readonly state: DetailsState;
}

/** Escape leaves a field, as it leaves the text of a message: keys of the conversation work outside of fields. */
const leaveField = (event: KeyboardEvent): void => {
  if (event.key !== "Escape" || event.isDefaultPrevented() || !isForField(event.target)) return;
  event.preventDefault();
  focusStart();
};

/** The place of the details: beside the conversation, or a sheet above it in a window that is too narrow. */
export const DetailsArea = ({ item, state: { isSheet, isOpen, close } }: DetailsAreaProps) => {
  if (!isOpen) return undefined;
  const panel = (
    <Suspense fallback={<Spinner />}>
      <DetailsPanel item={item} />
    </Suspense>
  );
  if (!isSheet)
    return (
      <aside className={styles.details} aria-label={texts.details} onKeyDown={leaveField}>
        {panel}
      </aside>
    );
  return (
    <ModalOverlay isOpen onOpenChange={(open) => !open && close()} isDismissable className={styles.sheetOverlay ?? ""}>
      <Modal className={styles.sheet ?? ""}>
        <Dialog className={styles.sheetDialog ?? ""}>
          <div className={styles.sheetHead}>
            <Heading slot="title" level={2} className={styles.name ?? ""}>
              {texts.details}
            </Heading>
            <IconButton icon="close" label={texts.hideDetails} onPress={close} />
          </div>
          {panel}
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
};
