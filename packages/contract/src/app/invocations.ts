import type { LogLevel } from "./bridge.ts";

/** What called a handler. */
export type InvocationKind = "product" | "set-up" | "scheduled" | "external" | "function" | "job";

export interface InvocationLine {
  readonly level: LogLevel;
  readonly text: string;
}

/** A request that a handler made; no secure value is in it. @units ms: milliseconds */
export interface InvocationRequest {
  readonly method: string;
  /** Without the query of secure things: headers and bodies are left out. */
  readonly url: string;
  /** Of a template. */
  readonly template?: string;
  /** 0: none was made; `failure` says why. */
  readonly status: number;
  readonly failure?: string;
  readonly attempts: number;
  readonly ms: number;
}

/** One call of a handler, as the host keeps it for its author. @units begun: ISO 8601; ms: milliseconds */
export interface Invocation {
  readonly id: string;
  readonly app: string;
  readonly account: string;
  readonly kind: InvocationKind;
  /** `onMessageCreate`, or the function's name. */
  readonly event: string;
  readonly handler: string;
  /** Id of the service's event, which stays the same over all tries. */
  readonly source?: string;
  readonly begun: string;
  readonly ms: number;
  readonly ok: boolean;
  /** What the handler was called with; secure values are never in it. */
  readonly payload: unknown;
  /** What it gave to `renderData`. */
  readonly output?: unknown;
  readonly error?: string;
  readonly stack?: string;
  readonly lines: readonly InvocationLine[];
  readonly requests: readonly InvocationRequest[];
}
