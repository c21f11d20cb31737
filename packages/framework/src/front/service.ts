import { memberOf } from "@parley/contract";
import { RefusedWithStatus } from "../values/app-refused.ts";

/** Address of the live service, and an API key that reads and writes as an agent of the account. */
export interface ServiceAccess {
  /** Origin without a path, such as `http://127.0.0.1:10002`. */
  readonly origin: string;
  /** Leaves this process only in requests to `origin`. */
  readonly token: () => string | Promise<string>;
  /** The account's name. */
  readonly account: string;
}

/** The service refused a request; the message is for the agent. @shape status: 0 if the service could not be reached */
export class ServiceRefused extends RefusedWithStatus {
  override readonly name = "ServiceRefused";
}

/** @errors ServiceRefused */
export type ServiceCall = <A>(method: "GET" | "POST" | "PUT", path: string, body?: unknown) => Promise<A>;

/** @units milliseconds */
const serviceTimeoutMs = 10_000;
/** Pause after the service could not answer, or when the account has no calls left. @units milliseconds */
const retryDelayMs = 5_000;

const sentenceOf = (status: number, said: unknown): string => {
  const message: unknown = memberOf(said, "message");
  return typeof message === "string" && message !== "" ? message : `The service answered ${status}.`;
};

/** Sends requests to the service, with pauses while it can't answer. */
export const serviceCall = ({ origin, token }: ServiceAccess): ServiceCall => {
  let rest: { readonly until: number; readonly refusal: ServiceRefused } | undefined;

  const ask = async (method: string, path: string, body: unknown) => {
    const reply = await fetch(`${origin}/v2${path}`, {
      method,
      headers: {
        authorization: `Bearer ${await token()}`,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(serviceTimeoutMs),
    });
    return { status: reply.status, said: (await reply.json().catch(() => undefined)) as unknown };
  };

  return async <A>(method: "GET" | "POST" | "PUT", path: string, body?: unknown): Promise<A> => {
    if (method === "GET" && rest && performance.now() < rest.until) throw rest.refusal;
    const { status, said } = await ask(method, path, body).catch(() => ({ status: 0, said: undefined }));
    if (status >= 200 && status < 300) return said as A;
    const refusal = new ServiceRefused(
      status,
      status === 0 ? "The service can't be reached. Is it still running?" : sentenceOf(status, said),
    );
    if (status === 0 || status === 429 || status >= 500) rest = { until: performance.now() + retryDelayMs, refusal };
    throw refusal;
  };
};
