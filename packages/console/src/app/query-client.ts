import { QueryClient } from "@tanstack/react-query";

/**
 * Cached data of the service, by key. Events keep it up to date, so nothing is requested again by time, focus or a new connection; the client
 * itself repeats requests that a busy or restarting service did not answer.
 */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: Number.POSITIVE_INFINITY,
      gcTime: 60_000,
      refetchOnWindowFocus: false,
      refetchOnReconnect: false,
      retry: false,
    },
  },
});

/**
 * No event says that what the pages of the administration show has changed: commands, the API, other admins and time change it. Data that an
 * earlier visit read is shown at once and read again.
 */
queryClient.setQueryDefaults(["admin"], { staleTime: 0 });
