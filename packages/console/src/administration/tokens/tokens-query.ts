import type { AccessToken } from "@parley/contract";
import { queryOptions } from "@tanstack/react-query";
import { adminCalls } from "../admin-client.ts";

/** All tokens of an account, the newest first. */
export const tokensQuery = (account: string) =>
  queryOptions({
    queryKey: ["admin", "tokens", account],
    queryFn: async ({ signal }): Promise<AccessToken[]> => {
      const found: AccessToken[] = [];
      const query = { items_per_page: 100 };
      for await (const token of adminCalls.listTokens.items({ params: { account }, query, signal })) found.push(token);
      return found;
    },
  });
