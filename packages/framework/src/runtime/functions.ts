import type { Project } from "../project/project.ts";
import type { HostSettings } from "../settings.ts";
import type { RequestFailure } from "@parley/contract";
import type { Recorded } from "./recorder.ts";

/** How a function of server/ ended, as `client.request.invoke` has it. */
export type FunctionOutcome =
  | { readonly ok: true; readonly requestID: string; readonly response: unknown }
  | { readonly ok: false; readonly failure: FunctionFailure };

export type FunctionFailure = Pick<RequestFailure, "status" | "errorSource"> & {
  readonly message: string;
  readonly requestID: string;
};

/** Shortest and longest time that a manifest may give to a function. @units milliseconds */
const TIMES = { least: 5_000, most: 30_000 };

/** What the manifest says of a function; undefined for one that it doesn't name. @units milliseconds */
export const functionTime = (
  { manifest }: Pick<Project, "manifest">,
  name: string,
  { callMs }: Pick<HostSettings, "callMs">,
): number | undefined => {
  const functions = manifest.modules["common"]?.functions ?? {};
  const declared = Object.hasOwn(functions, name) ? functions[name] : undefined;
  if (!declared) return undefined;
  const { timeout } = declared;
  return timeout === undefined ? callMs : Math.min(Math.max(timeout * 1000, TIMES.least), TIMES.most);
};

export const functionFailure = (requestID: string, status: number, message: string): FunctionOutcome => ({
  ok: false,
  failure: { status, message, errorSource: "APP", requestID },
});

/** An outcome as the caller of the function gets it. @assumed a function that fails by itself has the status 500 */
export const functionOutcome = (name: string, { outcome, invocation }: Recorded): FunctionOutcome => {
  if (!outcome.ok) return functionFailure(invocation.id, 500, `The function '${name}' failed: ${outcome.error}`);
  const { message, status = 500, data } = outcome.rendered ?? {};
  if (message !== undefined) return functionFailure(invocation.id, status, message);
  return { ok: true, requestID: invocation.id, response: data };
};
