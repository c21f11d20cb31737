import type { CallbackValue } from "./messages.ts";

/** Result of a callback. `refused`: it refused the value; `failed`: the callback itself failed. */
export type CallbackOutcome =
  | { readonly t: "passed" }
  | { readonly t: "refused"; readonly message: string }
  | { readonly t: "failed"; readonly message: string }
  | { readonly t: "returned"; readonly value: unknown };

export type FormCallback = (value?: CallbackValue) => unknown;

const PASSED: CallbackOutcome = { t: "passed" };

const refusal = (message: string): Extract<CallbackOutcome, { t: "refused" }> => ({ t: "refused", message });

/** A promise may reject with a message, an error or a failed request. */
const reasonOf = (reason: unknown): string => {
  if (typeof reason === "string" && reason !== "") return reason;
  if (typeof reason !== "object" || reason === null) return "This value was refused.";
  if ("message" in reason && typeof reason.message === "string" && reason.message !== "") return reason.message;
  if ("status" in reason && typeof reason.status === "number") return `The check failed: status ${reason.status}.`;
  return "This value was refused.";
};

/** Whether the engine threw the error, which is then a defect of the app's code and not a refusal by its author. */
const isFault = (reason: unknown): reason is Error =>
  reason instanceof Error && /^(?:Type|Reference|Range|Syntax|Eval|URI)Error$/.test(reason.name);

/** Result of a promise that rejects: a refusal with its reason, or a failure. */
export const rejectionOutcome = (reason: unknown): Extract<CallbackOutcome, { message: string }> => {
  if (!isFault(reason)) return refusal(reasonOf(reason));
  console.error(reason);
  return { t: "failed", message: reason.message };
};

const returned = (value: unknown): CallbackOutcome =>
  typeof value === "string" && value !== "" ? refusal(value) : PASSED;

/**
 * Calls a callback and waits for its result.
 * @assumed An async function returns its message as any function does; a promise that an ordinary function returns is a success
 * when it resolves, with any value.
 * @spec Resources and their fields > App installation parameters (iparams)
 */
export const callbackOutcome = async (
  callback: FormCallback,
  value: CallbackValue | undefined,
): Promise<CallbackOutcome> => {
  let answer: unknown;
  try {
    answer = value === undefined ? callback() : callback(value);
  } catch (error) {
    console.error(error);
    return { t: "failed", message: error instanceof Error ? error.message : String(error) };
  }
  if (typeof answer !== "object" || answer === null || !("then" in answer)) return returned(answer);
  try {
    const settled = await (answer as PromiseLike<unknown>);
    return callback.constructor.name === "AsyncFunction" ? returned(settled) : PASSED;
  } catch (reason) {
    return rejectionOutcome(reason);
  }
};
