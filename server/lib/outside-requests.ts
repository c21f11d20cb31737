import type { RequestFailure, RequestMethod, RequestOptions } from "@parley/framework/sdk";
import type { Reply } from "./account-requests.ts";
import { Postponed } from "./postponed.ts";
import type { TimeBudget } from "./time-budget.ts";

const WAIT_SECONDS = 60;
/** Matches the framework's messages for requests that it could not send. */
const PLAIN = /^[\w ,.'/-]{1,80}$/;
/** The framework's message for a response that is not text. The request itself succeeded. */
const UNSUPPORTED_TYPE_MESSAGE = "Unsupported content type";

/** Returns the reason of a failure without the response's text, which may repeat the data that was sent. */
const reasonFor = ({ status, response, headers }: RequestFailure): string => {
  const isOfFramework = Object.keys(headers).length === 0;
  if (isOfFramework && PLAIN.test(response)) return `The request could not be made: ${response}.`;
  if (status === 401 || status === 403)
    return `The outside address refuses the secret (${status}): save the right one on the installation page.`;
  if (status === 404 || status === 410) return `The outside address is not there (${status}).`;
  if (status === 429) return "The outside address asks to be told less often (429).";
  return status >= 500
    ? `The outside system fails (${status}).`
    : `The outside address refuses what it is told (${status}).`;
};

const secondsIn = ({ headers }: RequestFailure): number => {
  const after = Object.entries(headers).find(([name]) => name.toLowerCase() === "retry-after")?.[1];
  const seconds = Number(after);
  return after && Number.isFinite(seconds) && seconds > WAIT_SECONDS ? seconds : WAIT_SECONDS;
};

/**
 * Posts to the admin's own system, within the time of the event. It is not a call of the account and does not count towards its limits. Any
 * response other than success postpones the work, since the admin may correct the cause in the meantime.
 * @errors Postponed
 */
export const outsideRequests =
  (request: RequestMethod, budget: TimeBudget) =>
  async (template: string, options: RequestOptions): Promise<Reply<undefined>> => {
    const slow = () =>
      new Postponed("outside", WAIT_SECONDS, `The outside system took more than ${budget.milliseconds} ms to answer.`);
    if (budget.left() <= 0) throw slow();
    const asked = request.invokeTemplate(template, options).then(
      ({ status }) => ({ status }),
      (error: unknown) => ({
        failure: { status: 0, headers: {}, response: "", ...(error as Partial<RequestFailure>) },
      }),
    );
    const answer = await budget.within(asked);
    if (answer === "over") throw slow();
    if ("failure" in answer) {
      const failure = answer.failure as RequestFailure;
      if (failure.status === 415 && failure.response === UNSUPPORTED_TYPE_MESSAGE && failure.attempts > 0)
        return { ok: true, body: undefined };
      throw new Postponed("outside", secondsIn(failure), reasonFor(failure));
    }
    if (answer.status >= 300)
      throw new Postponed(
        "outside",
        WAIT_SECONDS,
        `The outside address leads elsewhere (${answer.status}): give the new one.`,
      );
    return { ok: true, body: undefined };
  };
