import { useQuery } from "@tanstack/react-query";
import { useEffect } from "../state/effects.ts";
import { inboxMessages as texts } from "./messages.ts";
import { countsQuery } from "./views-query.ts";

/** Shows in the title of the document how many of the agent's conversations have unread messages. */
export const InboxTitle = () => {
  const unread = useQuery(countsQuery).data?.mine_unread ?? 0;
  useEffect(() => {
    document.title = unread > 0 ? texts.titleWithUnread(unread) : texts.title;
  }, [unread]);
  return undefined;
};
