import type { SavedView } from "@parley/contract";
import { useQueryClient } from "@tanstack/react-query";
import { lazy, Suspense, useState } from "react";
import { IconButton } from "../ui/button.tsx";
import { Icon } from "../ui/icon.tsx";
import { Menu, type MenuAction } from "../ui/menu.tsx";
import { uiMessages } from "../ui/messages.ts";
import { showError } from "../ui/toast-store.ts";
import { useWorkspace } from "../workspace/workspace.ts";
import { isSameView, searchOf } from "./inbox-view.ts";
import { inboxMessages as texts } from "./messages.ts";
import { changeView, deleteView } from "./saved-view-changes.ts";
import type { InboxAddress } from "./use-inbox-address.ts";
import { ViewLink } from "./view-link.tsx";
import { ViewSectionFrame } from "./view-section.tsx";
import { mayChangeView, useSavedViews } from "./views-query.ts";
import styles from "./views.module.css";

const SavedViewDialog = lazy(() => import("./saved-view-dialog.tsx"));

interface SavedViewsProps {
  readonly address: InboxAddress;
  readonly onChoose?: (() => void) | undefined;
}

/** The saved views of the agent and of the account. */
export const SavedViews = ({ address, onChoose }: SavedViewsProps) => {
  const queries = useQueryClient();
  const workspace = useWorkspace();
  const views = useSavedViews();
  const [renamed, setRenamed] = useState<SavedView>();
  if (views.length === 0) return undefined;

  const actionsOf = (view: SavedView): readonly MenuAction[] => {
    const { filter, order } = address;
    const isOwn = view.owner_id === workspace.agent.agent_id;
    return [
      { id: "rename", label: texts.renameView, icon: "edit", onAction: () => setRenamed(view) },
      {
        id: "replace",
        label: texts.replaceView,
        icon: "filter",
        isDisabled: isSameView(address.search, view),
        onAction: () =>
          void changeView(queries, view, { filter, order })
            .then(() => address.show(searchOf(filter, order, view.id)))
            .catch(showError),
      },
      // Only the owner can end the sharing: the view would become the owner's alone.
      ...(isOwn
        ? [
            {
              id: "share",
              label: view.is_shared ? texts.unshareView : texts.shareView,
              icon: "people" as const,
              onAction: () => void changeView(queries, view, { is_shared: !view.is_shared }).catch(showError),
            },
          ]
        : []),
      {
        id: "delete",
        label: uiMessages.delete,
        icon: "trash",
        isDanger: true,
        onAction: () => void deleteView(queries, view).catch(showError),
      },
    ];
  };

  return (
    <ViewSectionFrame id="saved" label={texts.savedViews}>
      <ul>
        {views.map((view) => (
          <li key={view.id} className={styles.saved}>
            <ViewLink
              label={view.name}
              search={searchOf(view.filter, view.order, view.id)}
              isCurrent={address.search.view === view.id}
              onChoose={onChoose}
            >
              {view.is_shared && <Icon name="people" label={texts.sharedView} />}
            </ViewLink>
            {mayChangeView(view, workspace) && (
              <Menu label={texts.actionsOfView(view.name)} groups={[{ actions: actionsOf(view) }]}>
                <IconButton isSmall icon="more" label={texts.actionsOfView(view.name)} />
              </Menu>
            )}
          </li>
        ))}
      </ul>
      {renamed && (
        <Suspense>
          <SavedViewDialog view={renamed} address={address} onClose={() => setRenamed(undefined)} />
        </Suspense>
      )}
    </ViewSectionFrame>
  );
};
