import type { RequestFailure } from "@parley/contract";

/** How a function of server/ ended, as `client.request.invoke` has it. */
export type FunctionOutcome =
  | { readonly ok: true; readonly requestID: string; readonly response: unknown }
  | { readonly ok: false; readonly failure: FunctionFailure };

export type FunctionFailure = Pick<RequestFailure, "status" | "errorSource"> & {
  readonly message: string;
  readonly requestID: string;
};
