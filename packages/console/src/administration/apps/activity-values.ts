import type { InvocationDetails, NewRaisedEvent } from "@parley/contract";
import { activityMessages as texts } from "./activity-messages.ts";

/** Times since which calls are listed. @units milliseconds; undefined: at any time */
export const PERIODS = { any: undefined, hour: 3_600_000, day: 86_400_000, week: 604_800_000 } as const;
export type Period = keyof typeof PERIODS;

/** Which calls are listed. "": all. */
export interface CallFilter {
  readonly event: string;
  readonly result: "" | "succeeded" | "failed";
  readonly period: Period;
}

export const everyCall: CallFilter = { event: "", result: "", period: "any" };

/** The query of the endpoint. @shape now: milliseconds of the epoch */
export const callQueryOf = ({ event, result, period }: CallFilter, now: number) => {
  const lengthMs = PERIODS[period];
  return {
    ...(event !== "" && { event }),
    ...(result !== "" && { result }),
    ...(lengthMs !== undefined && { from: new Date(now - lengthMs).toISOString() }),
  };
};

/** Values of the form for raising an event. @shape payload: JSON text */
export interface RaiseValues {
  readonly event: string;
  readonly payload: string;
}

export const jsonText = (value: unknown): string => JSON.stringify(value, undefined, 2) ?? "";

type Payload = Readonly<Record<string, unknown>>;
const isObject = (value: unknown): value is Payload =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Payload of a recorded call, without the parameters and the host, which are those of the installation. */
export const raisedAgain = ({ event, payload }: Pick<InvocationDetails, "event" | "payload">): RaiseValues => {
  const { iparams: _iparams, currentHost: _host, ...rest } = isObject(payload) ? payload : {};
  return { event, payload: jsonText(rest) };
};

export const raiseProblems = ({ event, payload }: RaiseValues): Partial<Record<keyof RaiseValues, string>> => {
  if (event === "") return { event: texts.eventMissing };
  try {
    return isObject(JSON.parse(payload)) ? {} : { payload: texts.payloadNotObject };
  } catch (error) {
    return { payload: texts.payloadNotJson((error as Error).message) };
  }
};

/** @errors SyntaxError for a payload that `raiseProblems` refuses */
export const raisedEventOf = ({ event, payload }: RaiseValues): NewRaisedEvent => ({
  event,
  payload: JSON.parse(payload) as NewRaisedEvent["payload"],
});
