import type { AccessTokens } from "../src/oauth/access.ts";
import { refused } from "../src/request/request-method.ts";

/** Of an app that nobody has authorised. */
export const noTokens: AccessTokens = {
  find: () => Promise.reject(refused(401, "not authorised")),
  renew: async () => undefined,
};
