import { type AccessTokens, requestRejected } from "../../src/request/request-method.ts";

/** Access tokens of an app that nobody has authorized. */
export const noTokens: AccessTokens = {
  find: () => Promise.reject(requestRejected(401, "not authorised")),
  renew: async () => undefined,
};
