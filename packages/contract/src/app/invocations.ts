import type { AppLogLevel } from "./bridge.ts";

/** The kind of event that called a handler. */
export type InvocationKind = "product" | "set-up" | "scheduled" | "external" | "function" | "job";

export interface InvocationLine {
  readonly level: AppLogLevel;
  readonly text: string;
}

/** A request of a handler; contains no secure value. @units ms: milliseconds */
export interface InvocationRequest {
  readonly method: string;
  /** URL with secure values removed from the query. Headers and bodies are not recorded. */
  readonly url: string;
  /** Name of the request template, if the request used a template. */
  readonly template?: string;
  /** HTTP status; 0 if no request was made, for the reason in `failure`. */
  readonly status: number;
  readonly failure?: string;
  readonly attempts: number;
  readonly ms: number;
}

/** One call of a handler, as the host records it for the app's author. @units begun: ISO 8601; ms: milliseconds */
export interface Invocation {
  readonly id: string;
  readonly app: string;
  readonly account: string;
  readonly kind: InvocationKind;
  /** Event name such as `onMessageCreate`, or the function's name. */
  readonly event: string;
  readonly handler: string;
  /** Id of the service's event; the same for all attempts. */
  readonly source?: string;
  readonly begun: string;
  readonly ms: number;
  readonly ok: boolean;
  /** Argument of the handler, without secure values. */
  readonly payload: unknown;
  /** Argument of `renderData`. */
  readonly output?: unknown;
  readonly error?: string;
  readonly stack?: string;
  readonly lines: readonly InvocationLine[];
  readonly requests: readonly InvocationRequest[];
}
