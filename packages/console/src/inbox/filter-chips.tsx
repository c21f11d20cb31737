import type { InboxFilter, SavedView } from "@parley/contract";
import { useQueryClient } from "@tanstack/react-query";
import { lazy, Suspense, useState } from "react";
import { Button as AriaButton } from "react-aria-components";
import { Button } from "../ui/button.tsx";
import { Icon } from "../ui/icon.tsx";
import { customerName, useWorkspace } from "../workspace/workspace.ts";
import { filterChips } from "./filter-texts.ts";
import { isSameView, searchOf } from "./inbox-view.ts";
import styles from "./list-header.module.css";
import { inboxListQuery } from "./list-query.ts";
import { inboxMessages as texts } from "./messages.ts";
import type { InboxAddress } from "./use-inbox-address.ts";
import type { ShownView } from "./views.ts";

const SavedViewDialog = lazy(() => import("./saved-view-dialog.tsx"));

interface FilterChipsProps {
  readonly address: InboxAddress;
  readonly shown: ShownView;
  readonly saved: SavedView | undefined;
}

/** The filters of the list besides its view; each filter can be removed, and all can be saved as a view. */
export const FilterChips = ({ address, shown, saved }: FilterChipsProps) => {
  const workspace = useWorkspace();
  const queries = useQueryClient();
  const [isSaving, setSaving] = useState(false);
  const { filter, order, search } = address;
  // The list of one customer's conversations says who it is.
  const customer =
    filter.user === undefined
      ? undefined
      : queries.getQueryData(inboxListQuery(filter, order).queryKey)?.items.find(Boolean)?.customer;
  const chips = filterChips(filter, shown.filter, workspace, customer && customerName(customer));
  if (chips.length === 0 && (!saved || isSameView(search, saved))) return undefined;

  const showFilter = (next: InboxFilter): void => address.show(searchOf(next, order, search.view));
  const without = (member: keyof InboxFilter): InboxFilter => {
    const { [member]: _removed, ...rest } = filter;
    const own = shown.filter[member];
    return own === undefined ? rest : { ...rest, [member]: own };
  };
  return (
    <div className={styles.chips}>
      <ul className={styles.chipList} aria-label={texts.filters}>
        {chips.map(({ member, text }) => (
          <li key={member}>
            <AriaButton
              className={styles.chip ?? ""}
              aria-label={texts.removeFilter(text)}
              onPress={() => showFilter(without(member))}
            >
              <span className={styles.chipText}>{text}</span>
              <Icon name="close" />
            </AriaButton>
          </li>
        ))}
      </ul>
      {chips.length > 1 && (
        <Button isSmall variant="quiet" onPress={() => showFilter(shown.filter)}>
          {texts.clearFilters}
        </Button>
      )}
      <Button isSmall variant="quiet" onPress={() => setSaving(true)}>
        {texts.saveView}
      </Button>
      {isSaving && (
        <Suspense>
          <SavedViewDialog address={address} onClose={() => setSaving(false)} />
        </Suspense>
      )}
    </div>
  );
};
