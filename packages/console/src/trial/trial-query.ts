import { queryOptions, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { onLiveItems } from "../live/live.ts";
import type { LiveItem } from "../live/live-messages.ts";
import { client } from "../session/session.ts";

/** The latest conversation of the agent's test customer. */
export const trialQuery = queryOptions({
  queryKey: ["trial"],
  queryFn: async ({ signal }) => (await client.trial.getTrial({ signal })).conversation ?? null,
});

/** Events of one answer arrive together: the conversation is read once for them. @units milliseconds */
const REFRESH_DELAY_MS = 150;

const concerns = (item: LiveItem, conversationId: string): boolean =>
  (item.event === "message_create" || item.event === "conversation_update") &&
  (item.data.data.message ?? item.data.data.conversation)?.conversation_id === conversationId;

/** Reads the conversation again after its events. */
export const useTrialUpdates = (conversationId: string | undefined): void => {
  const queries = useQueryClient();
  useEffect(() => {
    if (conversationId === undefined) return undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const end = onLiveItems((items) => {
      if (timer !== undefined || !items.some((item) => concerns(item, conversationId))) return;
      timer = setTimeout(() => {
        timer = undefined;
        void queries.invalidateQueries({ queryKey: trialQuery.queryKey });
      }, REFRESH_DELAY_MS);
    });
    return () => {
      end();
      clearTimeout(timer);
    };
  }, [queries, conversationId]);
};
