import { memberOf } from "@parley/contract";
import { RefusedWithStatus } from "../model/app-refused.ts";

/** Address of the live service, and an API key that reads and writes as an agent of the account. */
export interface ServiceAccess {
  /** Origin without a path, such as `http://127.0.0.1:10002`. */
  readonly origin: string;
  /** Leaves this process only in requests to `origin`. */
  readonly token: () => string | Promise<string>;
  /** The account's name. */
  readonly account: string;
  /** false: the page receives only the events that the app subscribes to, in one process; what it lists is loaded again. */
  readonly receivesAllEvents?: boolean;
  /** Called when the service refuses the key. */
  readonly keyRefused?: () => void;
}

/** The service refused a request; the message is for the agent. @shape status: 0 if the service could not be reached */
export class ServiceRefused extends RefusedWithStatus {
  override readonly name = "ServiceRefused";
}

/** @errors ServiceRefused */
export type ServiceCall = <A>(method: "GET" | "POST" | "PUT", path: string, body?: unknown) => Promise<A>;

/** @units milliseconds */
const SERVICE_TIMEOUT_MS = 10_000;
/** Pause after the service could not answer, or when the account has no calls left. @units milliseconds */
const RETRY_DELAY_MS = 5_000;

const errorMessage = (status: number, body: unknown): string => {
  const message: unknown = memberOf(body, "message");
  return typeof message === "string" && message !== "" ? message : `The service answered ${status}.`;
};

/** Sends requests to the service, with pauses while it can't answer. */
export const serviceCall = ({ origin, token, keyRefused }: ServiceAccess): ServiceCall => {
  let backoff: { readonly until: number; readonly refusal: ServiceRefused } | undefined;

  const send = async (method: string, path: string, body: unknown) => {
    const response = await fetch(`${origin}/v2${path}`, {
      method,
      headers: {
        authorization: `Bearer ${await token()}`,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(SERVICE_TIMEOUT_MS),
    });
    return { status: response.status, responseBody: (await response.json().catch(() => undefined)) as unknown };
  };

  return async <A>(method: "GET" | "POST" | "PUT", path: string, body?: unknown): Promise<A> => {
    if (method === "GET" && backoff && performance.now() < backoff.until) throw backoff.refusal;
    const { status, responseBody } = await send(method, path, body).catch(() => ({
      status: 0,
      responseBody: undefined,
    }));
    if (status >= 200 && status < 300) return responseBody as A;
    const refusal = new ServiceRefused(
      status,
      status === 0 ? "The service can't be reached. Is it still running?" : errorMessage(status, responseBody),
    );
    if (status === 401) keyRefused?.();
    if (status === 0 || status === 429 || status >= 500)
      backoff = { until: performance.now() + RETRY_DELAY_MS, refusal };
    throw refusal;
  };
};
