import type { RequestFailure, RequestMethod, RequestOptions } from "@parley/framework/sdk";
import type { AccountReply, TimeBudget } from "./account-requests.ts";
import { PostponedError } from "./errors.ts";

/** An address of the admin's, in the form that the request template takes. @shape path: without its leading slash, with the query */
interface ExternalUrl {
  readonly host: string;
  readonly path: string;
}

const ADDRESS_LENGTH_MAX = 2_000;
const LABEL = "[a-z0-9](?:[a-z0-9-]*[a-z0-9])?";
const HOST = new RegExp(`^(?:${LABEL}\\.)+${LABEL}$`, "i");
const NUMERIC_HOST = /^[\d.]+$/;
const PARENT_SEGMENT = /(?:^|\/)(?:\.|%2e){1,2}(?=[/?]|$)/i;

/**
 * Parses the address of another system.
 * @assumed Ports, user names, passwords and IP addresses are refused: the request method accepts host names only, and secrets have their own
 * parameter.
 */
export function parseExternalUrl(url: string): ExternalUrl | { readonly problem: string } {
  const text = url.trim();
  if (text === "") return { problem: "the address is missing." };
  if (text.length > ADDRESS_LENGTH_MAX)
    return { problem: `the address has more than ${ADDRESS_LENGTH_MAX} characters.` };
  const [, authority, rest = ""] = /^https:\/\/([^/?#]*)([^#]*)/i.exec(text) ?? [];
  if (authority === undefined) return { problem: "the address must begin with https://." };
  if (authority.includes("@")) return { problem: "the address must not hold a name or password: use the secret." };
  if (authority.includes(":")) return { problem: "the address must not name a port." };
  if (!HOST.test(authority) || NUMERIC_HOST.test(authority))
    return { problem: "the address must name a host, such as crm.example.com." };
  const [path = ""] = rest.split("?");
  if (PARENT_SEGMENT.test(path)) return { problem: "the address must not climb by . or .. in its path." };
  return { host: authority.toLowerCase(), path: rest.replace(/^\//, "") };
}

const RETRY_SECONDS = 60;
/** Matches the framework's messages for requests that it could not send. */
const FRAMEWORK_MESSAGE = /^[\w ,.'/-]{1,80}$/;
/** The framework's message for a response that is not text. The request itself succeeded. */
const UNSUPPORTED_TYPE_MESSAGE = "Unsupported content type";

/** Returns the reason of a failure without the response's text, which may repeat the data that was sent. */
const reasonFor = ({ status, response, headers }: RequestFailure): string => {
  const isOfFramework = Object.keys(headers).length === 0;
  if (isOfFramework && FRAMEWORK_MESSAGE.test(response)) return `The request could not be made: ${response}.`;
  if (status === 401 || status === 403)
    return `The other system rejected the secret (${status}). Save the correct one on the installation page.`;
  if (status === 404 || status === 410)
    return `The address of the other system does not exist (${status}). Correct it on the installation page.`;
  if (status === 429) return "The other system limits its rate of requests (429).";
  return status >= 500 ? `The other system failed (${status}).` : `The other system refused the request (${status}).`;
};

const retryAfterSeconds = ({ headers }: RequestFailure): number => {
  const after = Object.entries(headers).find(([name]) => name.toLowerCase() === "retry-after")?.[1];
  const seconds = Number(after);
  return after && Number.isFinite(seconds) && seconds > RETRY_SECONDS ? seconds : RETRY_SECONDS;
};

/**
 * Posts to the admin's own system, within the time of the event. It is not a call of the account and does not count towards its limits. Any
 * response other than success postpones the work, since the admin may correct the cause in the meantime.
 * @errors PostponedError
 */
export const externalSystemRequests =
  (request: RequestMethod, budget: TimeBudget) =>
  async (template: string, options: RequestOptions): Promise<AccountReply<undefined>> => {
    const timeoutError = () =>
      new PostponedError(
        "external-system",
        RETRY_SECONDS,
        `The other system took more than ${budget.milliseconds} ms to answer.`,
      );
    if (budget.remainingMs() <= 0) throw timeoutError();
    const response = request.invokeTemplate(template, options).then(
      ({ status }) => ({ status }),
      (error: unknown) => ({
        failure: { status: 0, headers: {}, response: "", ...(error as Partial<RequestFailure>) },
      }),
    );
    const result = await budget.within(response);
    if (result === "timeout") throw timeoutError();
    if ("failure" in result) {
      const failure = result.failure as RequestFailure;
      if (failure.status === 415 && failure.response === UNSUPPORTED_TYPE_MESSAGE && failure.attempts > 0)
        return { ok: true, body: undefined };
      throw new PostponedError("external-system", retryAfterSeconds(failure), reasonFor(failure));
    }
    if (result.status >= 300)
      throw new PostponedError(
        "external-system",
        RETRY_SECONDS,
        `The address of the other system redirects (${result.status}). Save the new address on the installation page.`,
      );
    return { ok: true, body: undefined };
  };
