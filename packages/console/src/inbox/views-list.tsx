import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { useWorkspace } from "../workspace/workspace.ts";
import { isSameFilter, searchOf } from "./inbox-view.ts";
import { inboxListQuery } from "./list-query.ts";
import { inboxMessages as texts } from "./messages.ts";
import { SavedViews } from "./saved-views.tsx";
import type { InboxAddress } from "./use-inbox-address.ts";
import { ViewLink } from "./view-link.tsx";
import { useShortened, ViewSectionFrame } from "./view-section.tsx";
import { primaryViews, viewSections, type ViewEntry, type ViewSection } from "./views.ts";
import { countsQuery } from "./views-query.ts";
import styles from "./views.module.css";

interface ViewsListProps {
  readonly address: InboxAddress;
  /** Called when a view was chosen. */
  readonly onChoose?: () => void;
}

interface EntryListProps extends ViewsListProps {
  readonly entries: readonly ViewEntry[];
}

const EntryList = ({ entries, address: { filter, order, search }, onChoose }: EntryListProps) => {
  // The number of the list, which events and the agent's own changes reach at once: the other numbers are read a moment later.
  const { data: shownTotal } = useQuery({ ...inboxListQuery(filter, order), select: ({ total }) => total });
  return (
    <ul>
      {entries.map(({ id, label, filter: own, count }) => {
        const isShown = isSameFilter(filter, own);
        return (
          <li key={id}>
            <ViewLink
              label={label}
              search={searchOf(own, order)}
              isCurrent={search.view === undefined && isShown}
              count={isShown ? (shownTotal ?? count) : count}
              onChoose={onChoose}
            />
          </li>
        );
      })}
    </ul>
  );
};

const Section = ({ section: { id, label, entries }, ...props }: ViewsListProps & { readonly section: ViewSection }) => {
  // If there are too many views to see at once, those with the most conversations come first.
  const sorted = useMemo(
    () => (id === "agents" ? entries.toSorted((one, other) => (other.count ?? 0) - (one.count ?? 0)) : entries),
    [id, entries],
  );
  const { shown, more } = useShortened(sorted, ({ filter }) => isSameFilter(filter, props.address.filter));
  return (
    <ViewSectionFrame id={id} label={label}>
      <EntryList {...props} entries={shown} />
      {more}
    </ViewSectionFrame>
  );
};

/** All views, with the numbers of their conversations. */
export const ViewsList = (props: ViewsListProps) => {
  const workspace = useWorkspace();
  const { data: counts } = useQuery(countsQuery);
  const primary = useMemo(() => primaryViews(workspace, counts), [workspace, counts]);
  const sections = useMemo(() => viewSections(workspace, counts), [workspace, counts]);
  return (
    <nav className={styles.views} aria-label={texts.views}>
      <EntryList {...props} entries={primary} />
      <SavedViews {...props} />
      {sections.map((section) => (
        <Section key={section.id} {...props} section={section} />
      ))}
    </nav>
  );
};
