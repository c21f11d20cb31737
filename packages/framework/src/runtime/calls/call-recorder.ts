import type { Invocation, InvocationKind } from "@parley/contract";
import { inSpan } from "@parley/telemetry";
import type { CallOutcome } from "../process/runner.ts";
import { recordableValue, openCallRecording, type CallRecording } from "../process/call-recording.ts";

interface CallRecorderDeps {
  /** Name of the app. */
  readonly app: string;
  readonly newId: () => string;
  readonly now: () => Date;
  /** Receives the record of each call, for the app's author. Must not throw. */
  readonly record?: ((invocation: Invocation) => void) | undefined;
}

/** Why a handler is called, and with which arguments. */
export interface CallOccasion {
  readonly kind: InvocationKind;
  readonly event: string;
  readonly handler: string;
  readonly account: string;
  readonly payload: unknown;
  /** The payload for the record, if it differs. */
  readonly recordedPayload?: unknown;
  /** Id of the service's event. */
  readonly source?: string | undefined;
}

export interface RecordedCall {
  readonly outcome: CallOutcome;
  readonly invocation: Invocation;
}

/** Runs a call and records it. */
export type CallRecorder = (
  occasion: CallOccasion,
  run: (recording: CallRecording) => Promise<CallOutcome>,
) => Promise<RecordedCall>;

/** The result of a call. A handler that refuses with `renderData` has failed, although it has no defect. */
const resultOf = (outcome: CallOutcome): Pick<Invocation, "ok" | "output" | "error" | "stack"> => {
  if (!outcome.ok) return { ok: false, error: outcome.error, ...(outcome.stack ? { stack: outcome.stack } : {}) };
  const { message, status, data } = outcome.rendered ?? {};
  if (message !== undefined)
    return { ok: false, output: { ...(status === undefined ? {} : { status }), message }, error: message };
  return { ok: true, ...(data === undefined ? {} : { output: recordableValue(data) }) };
};

export const createCallRecorder =
  ({ app, newId, now, record }: CallRecorderDeps): CallRecorder =>
  async (occasion, run) => {
    const { kind, event, handler, account, source } = occasion;
    const recording = openCallRecording();
    const [id, begun, start] = [newId(), now().toISOString(), performance.now()];
    const attributes = { "parley.app": app, "parley.account": account, "parley.call": kind };
    const outcome = await inSpan(`${app} ${event}`, { kind: "internal", attributes }, async (span) => {
      const result = await run({ ...recording, trace: span.context });
      if (!result.ok) span.fail();
      return result;
    });
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
      ...resultOf(outcome),
      payload: recordableValue(occasion.recordedPayload ?? occasion.payload),
      ...recording.taken(),
    };
    record?.(invocation);
    return { outcome, invocation };
  };
