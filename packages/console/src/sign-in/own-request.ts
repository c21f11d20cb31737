import { SIGN_IN_PATH } from "./contract-values.ts";
import { addressOf } from "./navigation.ts";
import { requestErrorOf, requestIdentity } from "./request.ts";
import { storedSessionToken } from "../session/session-token.ts";

/** Opens the sign-in. @shape reason: shown there; "" without a reason */
export const openSignIn = (reason: "" | "#signed-out" | "#ended", query: Readonly<Record<string, string>>): void =>
  location.replace(addressOf(SIGN_IN_PATH, query) + reason);

/**
 * Sends a request of the signed-in agent. Without a session the sign-in opens, which leads back to this page; the promise stays pending then.
 * @errors IdentityRequestError
 */
export async function requestOwn<T>(method: string, path: string, body?: object): Promise<T> {
  const token = storedSessionToken();
  try {
    return await requestIdentity<T>(method, path, body);
  } catch (error) {
    if (requestErrorOf(error).status !== "UNAUTHENTICATED") throw error;
    openSignIn(token === undefined ? "" : "#ended", { next: location.pathname + location.search });
    return new Promise<T>(() => undefined);
  }
}
