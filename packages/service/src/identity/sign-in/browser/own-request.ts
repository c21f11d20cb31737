import { openSignIn } from "./complete-sign-in.ts";
import { IdentityRequestError, requestIdentity } from "./identity-request.ts";
import { storedSessionToken } from "./session-token.ts";

/**
 * Sends a request of the signed-in agent. Without a session the sign-in opens, which leads back to this page; the promise stays pending then.
 * @errors IdentityRequestError
 */
export async function requestOwn<T>(method: string, path: string, body?: object): Promise<T> {
  const token = storedSessionToken();
  try {
    return await requestIdentity<T>(method, path, body);
  } catch (error) {
    if (!(error instanceof IdentityRequestError) || error.status !== "UNAUTHENTICATED") throw error;
    openSignIn(token === undefined ? undefined : "ended", { next: location.pathname + location.search });
    return new Promise<T>(() => undefined);
  }
}
