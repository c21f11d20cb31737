import type { Invocation, InvocationKind } from "@parley/contract";
import type { CallOutcome } from "./runner.ts";
import { keptValue, openTrail, type Trail } from "./trail.ts";

export interface RecorderDeps {
  /** Name of the app. */
  readonly app: string;
  readonly newId: () => string;
  readonly now: () => Date;
  /** Takes what a call did, for the app's author; must not throw. */
  readonly record?: ((invocation: Invocation) => void) | undefined;
}

/** Why a handler is called, and with what. */
export interface Occasion {
  readonly kind: InvocationKind;
  readonly event: string;
  readonly handler: string;
  readonly account: string;
  readonly payload: unknown;
  /** The payload as it is to be kept, where that differs. */
  readonly kept?: unknown;
  /** Id of the service's event. */
  readonly source?: string | undefined;
}

export interface Recorded {
  readonly outcome: CallOutcome;
  readonly invocation: Invocation;
}

/** Runs a call and records it. */
export type Recorder = (occasion: Occasion, run: (trail: Trail) => Promise<CallOutcome>) => Promise<Recorded>;

/** How it ended; a handler that refuses by `renderData` did not end well, though nothing is wrong with it. */
const verdictOf = (outcome: CallOutcome): Pick<Invocation, "ok" | "output" | "error" | "stack"> => {
  if (!outcome.ok) return { ok: false, error: outcome.error, ...(outcome.stack ? { stack: outcome.stack } : {}) };
  const { message, status, data } = outcome.rendered ?? {};
  if (message !== undefined)
    return { ok: false, output: { ...(status === undefined ? {} : { status }), message }, error: message };
  return { ok: true, ...(data === undefined ? {} : { output: keptValue(data) }) };
};

export const recorder =
  ({ app, newId, now, record }: RecorderDeps): Recorder =>
  async (occasion, run) => {
    const { kind, event, handler, account, source } = occasion;
    const trail = openTrail();
    const [id, begun, start] = [newId(), now().toISOString(), performance.now()];
    const outcome = await run(trail);
    const invocation: Invocation = {
      id,
      app,
      account,
      kind,
      event,
      handler,
      ...(source === undefined ? {} : { source }),
      begun,
      ms: Math.round((performance.now() - start) * 10) / 10,
      ...verdictOf(outcome),
      payload: keptValue(occasion.kept ?? occasion.payload),
      ...trail.taken(),
    };
    record?.(invocation);
    return { outcome, invocation };
  };
