import { routeOf, type Endpoint } from "@parley/contract";

/** The endpoints of the service for its operator. */
export interface ServiceAdmin {
  /** Origin at which this process reaches the service, without a path. */
  readonly origin: string;
  /** Leaves this process only in requests to `origin`. */
  readonly adminKey: string;
}

/** The service that knows the sessions of agents and keeps the audit log. */
export interface IdentityService extends ServiceAdmin {
  /** Name of the account that this host serves. */
  readonly account: string;
}

/** The response of the service to a request with the admin key. @shape status: 0 if the service did not answer in time */
export interface AdminResponse {
  readonly status: number;
  readonly body: unknown;
}

interface AdminCallOptions {
  readonly params?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** @units milliseconds */
  readonly timeoutMs: number;
  /** Aborted when the host closes. */
  readonly signal?: AbortSignal;
}

/** Sends a request of the contract's admin tables. It never rejects. */
export const callServiceAdmin = async (
  { origin, adminKey }: ServiceAdmin,
  row: Endpoint,
  { params = {}, body, timeoutMs, signal }: AdminCallOptions,
): Promise<AdminResponse> => {
  const { method, path } = routeOf(row);
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ""));
  const timeout = AbortSignal.timeout(timeoutMs);
  try {
    const response = await fetch(origin + filled, {
      method,
      redirect: "error",
      headers: {
        authorization: `Bearer ${adminKey}`,
        ...(body !== undefined && { "content-type": "application/json" }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: signal ? AbortSignal.any([timeout, signal]) : timeout,
    });
    const text = await response.text();
    return { status: response.status, body: text === "" ? undefined : (JSON.parse(text) as unknown) };
  } catch {
    // The error can contain the request; the caller reports what it asked for.
    return { status: 0, body: undefined };
  }
};
