import { type AccessTokens, refuseRequest } from "../../src/request/request-method.ts";

/** Access tokens of an app that nobody has authorized. */
export const noTokens: AccessTokens = {
  find: async () => refuseRequest(401, "not authorised"),
  renew: async () => undefined,
};
