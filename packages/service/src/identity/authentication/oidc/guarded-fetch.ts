import type { CustomFetch } from "openid-client";
import type { Egress } from "@parley/egress";

/** Limits of a request to a provider. @units timeoutMs: milliseconds; the others: bytes */
export const PROVIDER_REQUEST_LIMITS = {
  timeoutMs: 10_000,
  maxRequestBytes: 65_536,
  maxResponseBytes: 524_288,
} as const;

/** Headers of a response that the OpenID Connect client reads. */
const READ_HEADERS = ["content-type", "www-authenticate"];
/** A response with these status codes has no body. */
const WITHOUT_BODY = [204, 205, 304];

const bodyText = (body: Parameters<CustomFetch>[1]["body"]): string | undefined => {
  if (body === undefined || body === null) return undefined;
  if (typeof body === "string") return body;
  if (body instanceof URLSearchParams) return body.toString();
  throw new TypeError("The OpenID Connect client sends texts and forms only.");
};

/** Sends the requests of the OpenID Connect client through the guard. Redirects are not followed. @errors EgressFailure */
export const createGuardedFetch =
  ({ send }: Pick<Egress, "send">): CustomFetch =>
  async (url, { method, headers, body, signal }) => {
    const text = bodyText(body);
    const reply = await send({
      method,
      url,
      headers,
      ...(text !== undefined && { body: text }),
      ...(signal && { signal }),
      ...PROVIDER_REQUEST_LIMITS,
    });
    const read = READ_HEADERS.flatMap((name): [string, string][] => {
      const value = reply.headers[name];
      return value === undefined ? [] : [[name, value]];
    });
    return new Response(WITHOUT_BODY.includes(reply.status) ? null : reply.body, {
      status: reply.status,
      headers: new Headers(read),
    });
  };
