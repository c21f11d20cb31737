import type { NewSavedView, SavedView } from "@parley/contract";
import type { QueryClient } from "@tanstack/react-query";
import { client } from "../session/session.ts";
import { uiMessages } from "../ui/messages.ts";
import { showError, showToast } from "../ui/toast-store.ts";
import { inboxMessages as texts } from "./messages.ts";
import { savedViewsQuery } from "./views-query.ts";

const byName = (one: SavedView, other: SavedView): number => one.name.localeCompare(other.name);

const keep = (queries: QueryClient, view: SavedView): void => {
  queries.setQueryData(
    savedViewsQuery.queryKey,
    (known) => known && { views: [...known.views.filter(({ id }) => id !== view.id), view].sort(byName) },
  );
};

const drop = (queries: QueryClient, viewId: string): void => {
  queries.setQueryData(
    savedViewsQuery.queryKey,
    (known) => known && { views: known.views.filter(({ id }) => id !== viewId) },
  );
};

const fieldsOf = ({ name, filter, order, is_shared }: NewSavedView): NewSavedView => ({
  name,
  filter,
  order,
  is_shared,
});

export const createView = async (queries: QueryClient, body: NewSavedView): Promise<SavedView> => {
  const view = await client.savedViews.createView({ body });
  keep(queries, view);
  return view;
};

const replaceView = async (queries: QueryClient, id: string, body: NewSavedView): Promise<void> =>
  keep(queries, await client.savedViews.changeView({ params: { view_id: id }, body }));

/** Runs a change that belongs to no form; an error is shown. */
const attempt = (work: Promise<unknown>): void => void work.catch(showError);

/** Changes a view, and offers to undo it. */
export const changeView = async (
  queries: QueryClient,
  view: SavedView,
  change: Partial<NewSavedView>,
): Promise<void> => {
  await replaceView(queries, view.id, { ...fieldsOf(view), ...change });
  showToast(texts.viewChanged(change.name ?? view.name), {
    action: { label: uiMessages.undo, run: () => attempt(replaceView(queries, view.id, fieldsOf(view))) },
  });
};

/** Deletes a view, and offers to create it again. */
export const deleteView = async (queries: QueryClient, view: SavedView): Promise<void> => {
  await client.savedViews.deleteView({ params: { view_id: view.id } });
  drop(queries, view.id);
  showToast(texts.viewDeleted(view.name), {
    action: { label: uiMessages.undo, run: () => attempt(createView(queries, fieldsOf(view))) },
  });
};
