import { useState } from "react";
import { Dialog, DialogTrigger, Popover } from "react-aria-components";
import { IconButton } from "../ui/button.tsx";
import popup from "../ui/popup.module.css";
import styles from "./inbox-page.module.css";
import { inboxMessages as texts } from "./messages.ts";
import type { InboxAddress } from "./use-inbox-address.ts";
import { ViewsList } from "./views-list.tsx";

interface ViewsProps {
  readonly address: InboxAddress;
}

interface ViewsColumnProps extends ViewsProps {
  readonly onHide: () => void;
}

/** The views in a column of their own. */
export const ViewsColumn = ({ address, onHide }: ViewsColumnProps) => (
  <aside className={styles.views} aria-label={texts.views}>
    <div className={styles.viewsHead}>
      <h2 className={styles.viewsTitle}>{texts.views}</h2>
      <IconButton isSmall icon="back" label={texts.hideViews} onPress={onHide} />
    </div>
    <ViewsList address={address} />
  </aside>
);

interface ViewsMenuProps extends ViewsProps {
  /** Shows the column, where there is enough space for it. */
  readonly onShowColumn?: (() => void) | undefined;
}

/** A button that shows the views, where they have no column. */
export const ViewsMenu = ({ address, onShowColumn }: ViewsMenuProps) => {
  const [isOpen, setOpen] = useState(false);
  if (onShowColumn) return <IconButton icon="right" label={texts.showViews} onPress={onShowColumn} />;
  return (
    <DialogTrigger isOpen={isOpen} onOpenChange={setOpen}>
      <IconButton icon="menu" label={texts.showViews} />
      <Popover className={popup.popover ?? ""} placement="bottom start" offset={4}>
        <Dialog className={styles.viewsMenu ?? ""} aria-label={texts.views}>
          <ViewsList address={address} onChoose={() => setOpen(false)} />
        </Dialog>
      </Popover>
    </DialogTrigger>
  );
};
