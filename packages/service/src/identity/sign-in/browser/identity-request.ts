import { isObject, SESSION_TOKEN } from "@parley/contract";
import { storedSessionToken } from "./session-token.ts";
import { waitText } from "./wait-text.ts";

const UNREACHABLE = "UNREACHABLE";

/** A request that was refused, or that did not reach the service. The message is for people. */
export class IdentityRequestError extends Error {
  /** Token of the problem. */
  readonly status: string;
  constructor(status: string, message: string) {
    super(message);
    this.status = status;
  }
}

const failRefused = async (reply: Response): Promise<never> => {
  const body: unknown = await reply.json().catch(() => undefined);
  const { status, message } = (isObject(body) ? body : {}) as { readonly status?: string; readonly message?: string };
  const token = status ?? String(reply.status);
  const seconds = Number(reply.headers.get("Retry-After"));
  if (reply.status === 429)
    throw new IdentityRequestError(
      token,
      `Too many ${token === "TOO_MANY_SIGN_INS" ? "attempts failed" : "requests"}. Try again ${seconds > 0 ? `in ${waitText(seconds)}` : "later"}.`,
    );
  if (reply.status >= 500) throw new IdentityRequestError(token, "The service has a problem. Try again in a moment.");
  throw new IdentityRequestError(token, message ?? `The service answered with the status ${reply.status}.`);
};

/** Sends a request of this page. @errors IdentityRequestError */
export async function requestIdentity<T>(method: string, path: string, body?: object): Promise<T> {
  const token = storedSessionToken();
  const reply = await fetch(path, {
    method,
    cache: "no-store",
    headers: {
      ...(token !== undefined && { [SESSION_TOKEN]: token }),
      ...(body && { "content-type": "application/json" }),
    },
    ...(body && { body: JSON.stringify(body) }),
  }).catch(() => {
    throw new IdentityRequestError(
      UNREACHABLE,
      "The service can’t be reached. Check the connection of this device, and try again.",
    );
  });
  if (!reply.ok) return failRefused(reply);
  return (await reply.json()) as T;
}

/** -> the error with its text for people; other errors are thrown again, for the console */
export const requestErrorOf = (error: unknown): IdentityRequestError => {
  if (error instanceof IdentityRequestError) return error;
  throw error;
};
