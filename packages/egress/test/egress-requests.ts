import type { Egress, OutgoingReply, EgressRequest } from "../src/index.ts";
import { EgressFailure } from "../src/index.ts";

type PartialRequest = Pick<EgressRequest, "url"> & Partial<EgressRequest>;

/** A request with limits that suffice for any test that sets no others. */
const requestWith = (request: PartialRequest): EgressRequest => ({
  method: "GET",
  timeoutMs: 10_000,
  maxRequestBytes: 100_000,
  maxResponseBytes: 100_000,
  ...request,
});

export const sendRequest = (egress: Egress, request: PartialRequest): Promise<OutgoingReply> =>
  egress.send(requestWith(request));

/** Returns the failure of a request. Any other result fails the test. */
export const failureOf = async (egress: Egress, request: PartialRequest): Promise<EgressFailure> => {
  const outcome: unknown = await egress.send(requestWith(request)).catch((error: unknown) => error);
  if (outcome instanceof EgressFailure) return outcome;
  throw new Error(`Not refused: ${JSON.stringify(outcome)}`, { cause: outcome });
};
