import { useQuery } from "@tanstack/react-query";
import { countsQuery } from "../inbox/views-query.ts";
import { formatNumber } from "../i18n/format.ts";
import { useEffect } from "../state/effects.ts";
import { useStore } from "../state/store.ts";
import { shownTitle } from "../ui/page-title.ts";
import { useWorkspace } from "../workspace/workspace.ts";

const PRODUCT = "Parley";

/** The title of the document: how many of the agent's conversations have unread messages, the page, and the product. */
export const DocumentTitle = () => {
  const hasConversations = useWorkspace().agent.scope !== "None";
  const unread = useQuery({ ...countsQuery, enabled: hasConversations }).data?.mine_unread ?? 0;
  const page = useStore(shownTitle);
  const title = [page, PRODUCT].filter(Boolean).join(" · ");
  useEffect(() => {
    document.title = unread > 0 ? `(${formatNumber(unread)}) ${title}` : title;
  }, [unread, title]);
  return undefined;
};
