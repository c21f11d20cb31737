import type { Egress, OutgoingReply, EgressRequest } from "../src/index.ts";
import { EgressFailure } from "../src/index.ts";

type Asked = Pick<EgressRequest, "url"> & Partial<EgressRequest>;

/** A request with limits that suffice for any test that sets no others. */
export const asked = (request: Asked): EgressRequest => ({
  method: "GET",
  timeoutMs: 10_000,
  maxRequestBytes: 100_000,
  maxResponseBytes: 100_000,
  ...request,
});

export const reply = (egress: Egress, request: Asked): Promise<OutgoingReply> => egress.send(asked(request));

/** Returns the failure of a request. Any other result fails the test. */
export const failure = async (egress: Egress, request: Asked): Promise<EgressFailure> => {
  const outcome: unknown = await egress.send(asked(request)).catch((error: unknown) => error);
  if (outcome instanceof EgressFailure) return outcome;
  throw new Error(`Not refused: ${JSON.stringify(outcome)}`, { cause: outcome });
};
