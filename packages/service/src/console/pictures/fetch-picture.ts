import { Resolver } from "node:dns/promises";
import { LIMITS, PICTURE_NOT_AVAILABLE, refuse } from "@parley/contract";
import { createSemaphore } from "@parley/database";
import {
  EgressFailure,
  egress as openEgress,
  type EgressReason,
  type HostOverrides,
  type Lookup,
} from "@parley/egress";
import type { PictureReply } from "../../http/picture-reply.ts";
import { contentTypeOf, formatOf } from "../../messaging/uploads/image-processing.ts";

/** Of one picture: DNS, connection, headers and content. @assumed @units milliseconds */
const FETCH_TIMEOUT_MS = 5_000;
/** Pictures that one process loads at a time. Each may take `LIMITS.image_bytes` of memory. @assumed */
const CONCURRENT_FETCHES_MAX = 8;
/** Requests that wait for one of them. @assumed */
const WAITING_FETCHES_MAX = 100;

const HEADERS = { accept: "image/webp,image/png,image/jpeg,image/gif" };

/** Queries name servers without the threads of the process, which a customer's slow name servers would keep from other work. */
const lookupOf = (): Lookup => {
  const resolver = new Resolver({ timeout: 2_000, tries: 2 });
  return async (host) => {
    const [v4, v6] = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
    return [
      ...(v4.status === "fulfilled" ? v4.value.map((address) => ({ address, family: 4 as const })) : []),
      ...(v6.status === "fulfilled" ? v6.value.map((address) => ({ address, family: 6 as const })) : []),
    ];
  };
};

/** Why an address has no picture, for the agent who looks at it. */
const REASONS: Partial<Record<EgressReason, string>> = {
  MUST_BE_HTTPS: "Its address is not one of https.",
  MUST_BE_FQDN: "Its address is not public.",
  IP_DISALLOWED: "Its address is not public.",
  CREDENTIALS_DISALLOWED: "Its address contains credentials.",
  RESPONSE_TOO_LARGE: "It is larger than a picture may be.",
  TIMEOUT: "Its host did not answer in time.",
};

const refusePicture = (reason: string): never =>
  refuse(PICTURE_NOT_AVAILABLE, `The picture can't be loaded. ${reason}`);

/**
 * Loads a picture from a public https address.
 * @errors PICTURE_NOT_AVAILABLE for any other address, a redirect, and content other than PNG, JPEG, GIF and WebP; QueueFull, which is answered with SERVICE_UNAVAILABLE
 */
export type FetchPicture = (url: string) => Promise<PictureReply>;

/** @shape hosts: tests serve public names from this machine */
export const createFetchPicture = (
  hosts?: HostOverrides,
): { fetchPicture: FetchPicture; close: () => Promise<void> } => {
  const egress = openEgress({ lookup: lookupOf(), ...(hosts && { hosts }) });
  const fetches = createSemaphore({
    max: CONCURRENT_FETCHES_MAX,
    maxWaiting: WAITING_FETCHES_MAX,
    acquireTimeoutMs: FETCH_TIMEOUT_MS,
  });

  const send = async (url: string) => {
    try {
      return await egress.send({
        method: "GET",
        url,
        headers: HEADERS,
        timeoutMs: FETCH_TIMEOUT_MS,
        maxRequestBytes: 0,
        maxResponseBytes: LIMITS.image_bytes,
        replyEncoding: "base64",
      });
    } catch (error) {
      if (!(error instanceof EgressFailure)) throw error;
      return refusePicture(REASONS[error.reason] ?? "Its host can't be reached.");
    }
  };

  return {
    fetchPicture: (url) =>
      fetches.run(async () => {
        const { status, body } = await send(url);
        if (status !== 200) return refusePicture(`Its host answered with ${status}.`);
        const content = Buffer.from(body, "base64");
        // The content decides: what a host declares could be a page or a drawing with scripts.
        const format = formatOf(content) ?? refusePicture("It is not a PNG, JPEG, GIF or WebP.");
        return { contentType: contentTypeOf(format), content };
      }),
    close: () => egress.close(),
  };
};
