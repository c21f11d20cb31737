import type { InboxItem } from "@parley/contract";
import { lazy, Suspense } from "react";
import { Dialog, Heading, Modal, ModalOverlay } from "react-aria-components";
import { IconButton } from "../ui/button.tsx";
import { Spinner } from "../ui/spinner.tsx";
import { threadMessages as texts } from "./messages.ts";
import styles from "./pane.module.css";

const DetailsPanel = lazy(async () => ({ default: (await import("../details/details-panel.tsx")).DetailsPanel }));

interface DetailsAreaProps {
  readonly item: InboxItem;
  /** Above the conversation instead of beside it. */
  readonly isSheet: boolean;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

/** The place of the details: beside the conversation, or a sheet above it in a window that is too narrow. */
export const DetailsArea = ({ item, isSheet, isOpen, onClose }: DetailsAreaProps) => {
  if (!isOpen) return undefined;
  const panel = (
    <Suspense fallback={<Spinner />}>
      <DetailsPanel item={item} />
    </Suspense>
  );
  if (!isSheet)
    return (
      <aside className={styles.details} aria-label={texts.details}>
        {panel}
      </aside>
    );
  return (
    <ModalOverlay
      isOpen
      onOpenChange={(open) => !open && onClose()}
      isDismissable
      className={styles.sheetOverlay ?? ""}
    >
      <Modal className={styles.sheet ?? ""}>
        <Dialog className={styles.sheetDialog ?? ""}>
          <div className={styles.sheetHead}>
            <Heading slot="title" level={2} className={styles.name ?? ""}>
              {texts.details}
            </Heading>
            <IconButton icon="close" label={texts.hideDetails} onPress={onClose} />
          </div>
          {panel}
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
};
