import type { RequestFailure } from "@parley/contract";
import type { HostSettings } from "../../environment/settings.ts";
import type { Project } from "../../model/project.ts";
import type { RecordedCall } from "./call-recorder.ts";

/** Result of a function of server/, as `client.request.invoke` returns it. */
export type FunctionOutcome =
  | { readonly ok: true; readonly requestID: string; readonly response: unknown }
  | { readonly ok: false; readonly failure: FunctionFailure };

type FunctionFailure = Pick<RequestFailure, "status" | "errorSource"> & {
  readonly message: string;
  readonly requestID: string;
};

/** Minimum time limit that a manifest can set for a function. @units milliseconds */
const FUNCTION_TIMEOUT_MS_MIN = 5_000;

export type FunctionTimes = Pick<HostSettings, "callTimeoutMs" | "functionTimeoutMaxMs">;

/** Timeout of a function in the manifest; undefined for a function that the manifest does not list. @units milliseconds */
export const functionTime = (
  { manifest }: Pick<Project, "manifest">,
  name: string,
  { callTimeoutMs, functionTimeoutMaxMs }: FunctionTimes,
): number | undefined => {
  const functions = manifest.modules["common"]?.functions ?? {};
  const declared = Object.hasOwn(functions, name) ? functions[name] : undefined;
  if (!declared) return undefined;
  const { timeout } = declared;
  if (timeout === undefined) return callTimeoutMs;
  return Math.min(Math.max(timeout * 1_000, FUNCTION_TIMEOUT_MS_MIN), functionTimeoutMaxMs);
};

export const functionFailure = (requestID: string, status: number, message: string): FunctionOutcome => ({
  ok: false,
  failure: { status, message, errorSource: "APP", requestID },
});

/** The result for the caller of the function. @assumed a function that throws has the status 500 */
export const functionOutcome = (name: string, { outcome, invocation }: RecordedCall): FunctionOutcome => {
  if (!outcome.ok) return functionFailure(invocation.id, 500, `The function '${name}' failed: ${outcome.error}`);
  const { message, status = 500, data } = outcome.rendered ?? {};
  if (message !== undefined) return functionFailure(invocation.id, status, message);
  return { ok: true, requestID: invocation.id, response: data };
};
