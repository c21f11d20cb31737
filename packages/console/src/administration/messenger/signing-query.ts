import { queryOptions } from "@tanstack/react-query";
import { adminCalls } from "../admin-client.ts";

/** The signing keys of an account, and what it requires of visitors. */
export const signingQuery = (account: string) =>
  queryOptions({
    queryKey: ["admin", "signed-identities", account],
    queryFn: async ({ signal }) => {
      const request = { params: { account }, signal };
      const [{ signing_keys: keys }, rules] = await Promise.all([
        adminCalls.listSigningKeys(request),
        adminCalls.getSignedIdentityRules(request),
      ]);
      return { keys, rules };
    },
  });
