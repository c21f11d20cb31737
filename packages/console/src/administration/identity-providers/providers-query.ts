import { queryOptions } from "@tanstack/react-query";
import { adminCalls } from "../admin-client.ts";

/** The OpenID Connect providers of an account, and the callback address of a further provider. */
export const providersQuery = (account: string) =>
  queryOptions({
    queryKey: ["admin", "identity-providers", account],
    queryFn: ({ signal }) => adminCalls.listIdentityProviders({ params: { account }, signal }),
  });
