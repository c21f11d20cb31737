import type { ReplyTemplate } from "@parley/contract";
import { queryOptions } from "@tanstack/react-query";
import { client } from "../session/session.ts";

/** The agent's reply templates and the shared templates, by name; read again when a template changes. */
export const templatesQuery = queryOptions({
  queryKey: ["reply-templates", "list"],
  queryFn: async ({ signal }): Promise<ReplyTemplate[]> =>
    (await client.replyTemplates.listReplyTemplates({ signal })).templates,
});
