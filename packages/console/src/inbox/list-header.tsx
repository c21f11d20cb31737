import { lazy, Suspense, useMemo, useState, type ReactNode } from "react";
import { DialogTrigger } from "react-aria-components";
import { VALUES } from "../contract-values.ts";
import { formatNumber } from "../i18n/format.ts";
import { IconButton } from "../ui/button.tsx";
import { Menu } from "../ui/menu.tsx";
import { useWorkspace } from "../workspace/workspace.ts";
import { usePageTitle } from "../ui/page-title.ts";
import { FilterChips } from "./filter-chips.tsx";
import { ORDER_TEXTS } from "./filter-texts.ts";
import type { InboxList } from "./inbox-list.ts";
import { searchOf } from "./inbox-view.ts";
import styles from "./list-header.module.css";
import { inboxMessages as texts } from "./messages.ts";
import type { InboxAddress } from "./use-inbox-address.ts";
import { shownView } from "./views.ts";
import { useSavedViews } from "./views-query.ts";

const FilterForm = lazy(() => import("./filter-form.tsx"));

interface ListHeaderProps {
  readonly address: InboxAddress;
  readonly list: InboxList | undefined;
  /** The button that shows the views, where they have no column. */
  readonly viewsButton: ReactNode;
  /** Takes the place of the title while conversations are selected. */
  readonly bulkBar: ReactNode;
}

const OrderMenu = ({ address: { search, order, filter, show } }: Pick<ListHeaderProps, "address">) => {
  const { account } = useWorkspace();
  const orders = VALUES.inboxOrders.filter((each) => each !== "priority" || account.has_properties);
  return (
    <Menu
      label={texts.order}
      groups={[
        {
          title: texts.order,
          actions: orders.map((each) => ({
            id: each,
            label: ORDER_TEXTS[each],
            isSelected: each === order,
            onAction: () => show(searchOf(filter, each, search.view)),
          })),
        },
      ]}
    >
      <IconButton icon="sort" label={`${texts.order}: ${ORDER_TEXTS[order]}`} />
    </Menu>
  );
};

const FilterButton = ({ address }: Pick<ListHeaderProps, "address">) => {
  const [isOpen, setOpen] = useState(false);
  return (
    <DialogTrigger isOpen={isOpen} onOpenChange={setOpen}>
      <IconButton icon="filter" label={texts.filter} />
      <Suspense>{isOpen && <FilterForm address={address} />}</Suspense>
    </DialogTrigger>
  );
};

/** Above the list: the name of the view, its number of conversations, filters and order. */
export const ListHeader = ({ address, list, viewsButton, bulkBar }: ListHeaderProps) => {
  const workspace = useWorkspace();
  const views = useSavedViews();
  const { filter, search } = address;
  const saved = views.find(({ id }) => id === search.view);
  const isSelecting = Boolean(bulkBar);
  const shown = useMemo(() => shownView(filter, workspace, saved), [filter, workspace, saved]);
  // An open conversation names the page.
  usePageTitle(address.conversationId === undefined ? [shown.label, texts.title] : undefined);
  return (
    <header className={styles.header}>
      <div className={styles.line}>
        {!isSelecting && viewsButton}
        <h1 className={isSelecting ? "visually-hidden" : (styles.title ?? "")}>
          <span className={styles.name}>{shown.label}</span>
          {list && (
            <span className={styles.total}>
              {formatNumber(list.total)}
              <span className="visually-hidden"> {texts.conversationsNoun(list.total)}</span>
            </span>
          )}
        </h1>
        {bulkBar}
        {!isSelecting && (
          <>
            <FilterButton address={address} />
            <OrderMenu address={address} />
          </>
        )}
      </div>
      <FilterChips address={address} shown={shown} saved={saved} />
    </header>
  );
};
