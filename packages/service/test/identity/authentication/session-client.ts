import { sessionClient, type SessionClient } from "@parley/client/session";
import type { BrowserSession } from "./session-harness.ts";

/** The typed client of a page of the service; adds what a browser adds to a request: the cookie and the origin. */
export const pageClient = (url: string, { cookie, token }: BrowserSession): SessionClient =>
  sessionClient({
    url,
    sessionToken: () => token,
    fetch: (input, init) => {
      const headers = { ...(init?.headers as Record<string, string>), cookie, origin: new URL(url).origin };
      return fetch(input, { ...init, headers });
    },
  });
