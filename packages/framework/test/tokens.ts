import { type AccessTokens, requestRejected } from "../src/request/request-method.ts";

/** Of an app that nobody has authorised. */
export const noTokens: AccessTokens = {
  find: () => Promise.reject(requestRejected(401, "not authorised")),
  renew: async () => undefined,
};
