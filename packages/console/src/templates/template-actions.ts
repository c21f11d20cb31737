import type { NewReplyTemplate, ReplyTemplate } from "@parley/contract";
import type { QueryClient } from "@tanstack/react-query";
import { client } from "../session/session.ts";
import { uiMessages } from "../ui/messages.ts";
import { showError, showToast } from "../ui/toast-store.ts";
import { templateMessages as texts } from "./messages.ts";
import { templatesQuery } from "./templates-query.ts";

const change = (queries: QueryClient, how: (templates: readonly ReplyTemplate[]) => readonly ReplyTemplate[]): void => {
  queries.setQueryData(templatesQuery.queryKey, (templates) => templates && [...how(templates)]);
};

const byName = (one: ReplyTemplate, other: ReplyTemplate): number => one.name.localeCompare(other.name);

/** Creates or replaces a template. @shape id: undefined for a new template @errors SHORTCUT_TAKEN and others */
export const saveTemplate = async (
  queries: QueryClient,
  id: string | undefined,
  body: NewReplyTemplate,
): Promise<void> => {
  const saved =
    id === undefined
      ? await client.replyTemplates.createReplyTemplate({ body })
      : await client.replyTemplates.changeReplyTemplate({ params: { template_id: id }, body });
  change(queries, (templates) => [...templates.filter((each) => each.id !== saved.id), saved].toSorted(byName));
};

/** Deletes a template. The toast about it can create it again. */
export const deleteTemplate = async (queries: QueryClient, template: ReplyTemplate): Promise<void> => {
  change(queries, (templates) => templates.filter(({ id }) => id !== template.id));
  try {
    await client.replyTemplates.deleteReplyTemplate({ params: { template_id: template.id } });
  } catch (error) {
    showError(error);
    return queries.invalidateQueries({ queryKey: templatesQuery.queryKey });
  }
  const { name, shortcut, text, is_shared } = template;
  const created = { name, text, is_shared, ...(shortcut !== undefined && { shortcut }) };
  const undo = (): void => void saveTemplate(queries, undefined, created).catch(showError);
  showToast(texts.removed(name), { action: { label: uiMessages.undo, run: undo } });
};
