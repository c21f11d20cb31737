import { SESSION_TOKEN } from "./contract-values.ts";
import { storedSessionToken } from "../session/session-token.ts";

/** A request that was refused, or that did not reach the service. The message is for people. */
export class IdentityRequestError extends Error {
  /** Token of the problem. */
  readonly status: string;
  constructor(status: string, message: string) {
    super(message);
    this.status = status;
  }
}

/** @shape seconds: 0: unknown */
const waitText = (seconds: number): string =>
  seconds === 0
    ? "later"
    : seconds < 90
      ? `in ${seconds} ${seconds === 1 ? "second" : "seconds"}`
      : `in ${Math.ceil(seconds / 60)} minutes`;

const errorOf = async (reply: Response): Promise<IdentityRequestError> => {
  const body = (await reply.json().catch(() => undefined)) as Partial<Record<"status" | "message", string>> | undefined;
  const status = body?.status ?? String(reply.status);
  if (reply.status === 429)
    return new IdentityRequestError(
      status,
      `Too many ${status === "TOO_MANY_SIGN_INS" ? "attempts failed" : "requests"}. Try again ${waitText(Number(reply.headers.get("Retry-After")))}.`,
    );
  return new IdentityRequestError(
    status,
    reply.status >= 500
      ? "The service has a problem. Try again in a moment."
      : (body?.message ?? `The service answered with the status ${reply.status}.`),
  );
};

/** @errors IdentityRequestError always */
export const failUnreachable = (): never => {
  throw new IdentityRequestError(
    "UNREACHABLE",
    "The service can’t be reached. Check the connection of this device, and try again.",
  );
};

/** Sends a request of this page. @errors IdentityRequestError */
export async function requestIdentity<T>(method: string, path: string, body?: object): Promise<T> {
  const token = storedSessionToken();
  const reply = await fetch(`/identity/${path}`, {
    method,
    cache: "no-store",
    headers: {
      ...(token !== undefined && { [SESSION_TOKEN]: token }),
      ...(body && { "content-type": "application/json" }),
    },
    ...(body && { body: JSON.stringify(body) }),
  }).catch(failUnreachable);
  if (!reply.ok) throw await errorOf(reply);
  return (await reply.json()) as T;
}

/** -> the error with its text for people; other errors are thrown again, for the console of the browser */
export const requestErrorOf = (error: unknown): IdentityRequestError => {
  if (error instanceof IdentityRequestError) return error;
  throw error;
};
