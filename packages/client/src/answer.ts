import type { AxiosResponse } from "axios";
import { ProblemError, type ProblemBody } from "./problem-error.ts";

/** How much of the hour's allowance is left, as an answer said it. @spec Limits */
export interface Standing {
  readonly limit: number;
  readonly remaining: number;
  /** @units seconds */
  readonly reset: number;
}

export const headersOf = ({ headers }: AxiosResponse): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)]));

/** -> undefined where somebody answered who doesn't count. */
export const standingOf = (headers: Readonly<Record<string, string>>): Standing | undefined => {
  const [limit, remaining, reset] = ["x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimitreset"].map((name) =>
    Number(headers[name] ?? NaN),
  );
  return Number.isFinite(limit)
    ? { limit: Number(limit), remaining: Number(remaining), reset: Number(reset) }
    : undefined;
};

const isProblem = (body: unknown): body is ProblemBody =>
  typeof body === "object" && body !== null && "code" in body && "status" in body && "message" in body;

/** Somebody between here and the service may answer in another shape. */
const problemOf = ({ status, statusText, data }: AxiosResponse<unknown>): ProblemBody =>
  isProblem(data) ? data : { code: status, status: statusText.toUpperCase().replaceAll(" ", "_"), message: statusText };

/** -> the body of an answer in 2xx, undefined for an empty one. @errors ProblemError */
export const bodyOf = (response: AxiosResponse<unknown>): unknown => {
  if (response.status < 200 || response.status > 299) throw new ProblemError(problemOf(response), headersOf(response));
  return response.data === "" ? undefined : response.data;
};
