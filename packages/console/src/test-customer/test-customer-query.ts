import { queryOptions, useQueryClient } from "@tanstack/react-query";
import { onLiveItems } from "../live/live.ts";
import { client } from "../session/session.ts";
import { useEffect } from "../state/effects.ts";
import { createThrottle } from "../state/throttle.ts";
import { concernsConversation } from "./test-customer-events.ts";

/** The latest conversation of the agent's test customer. */
export const testCustomerQuery = queryOptions({
  queryKey: ["test-customer"],
  queryFn: async ({ signal }) => (await client.testCustomer.getTestCustomer({ signal })).conversation ?? null,
});

/** Shortest time between two requests, however many events arrive. @units milliseconds */
const REFRESH_MS = 1_000;

/** Reads the conversation again after its events. */
export const useTestCustomerUpdates = (conversationId: string | undefined): void => {
  const queries = useQueryClient();
  useEffect(() => {
    if (conversationId === undefined) return undefined;
    const refresh = createThrottle<string>(
      REFRESH_MS,
      () => void queries.invalidateQueries({ queryKey: testCustomerQuery.queryKey }),
    );
    return onLiveItems((items) => {
      if (items.some((item) => concernsConversation(item, conversationId))) refresh([conversationId]);
    });
  }, [queries, conversationId]);
};
