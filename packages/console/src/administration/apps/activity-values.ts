import type { InvocationDetails, NewRaisedEvent, RaisableEvent } from "@parley/contract";
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

const FUNCTION_PREFIX = "function ";

/** Id of an event or a function in a list: a function can have the name of an event. */
export const raisableId = ({ event, kind }: Pick<RaisableEvent, "event" | "kind">): string =>
  kind === "function" ? FUNCTION_PREFIX + event : event;

/** Name of an event without its module: calls are recorded by it. */
export const eventName = ({ event }: Pick<RaisableEvent, "event">): string => event.slice(event.indexOf("/") + 1);

/** The event by which a recorded call is repeated; undefined if the app does not handle it any more, or if it can't be raised. */
export const raisableOf = (
  events: readonly RaisableEvent[],
  { event, kind, handler }: Pick<InvocationDetails, "event" | "kind" | "handler">,
): RaisableEvent | undefined =>
  events.find((each) => eventName(each) === event && (each.kind ?? kind) === kind && each.handler === handler);

/** Values of the form for raising an event. @shape event: as `raisableId` returns it; payload: JSON text */
export interface RaiseValues {
  readonly event: string;
  readonly payload: string;
}

export const jsonText = (value: unknown): string => JSON.stringify(value, undefined, 2) ?? "";

type Payload = Readonly<Record<string, unknown>>;
const isObject = (value: unknown): value is Payload =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** An event with the payload of a recorded call, without the parameters and the host, which are those of the installation. */
export const raisedAgain = (event: RaisableEvent, { payload }: Pick<InvocationDetails, "payload">): RaiseValues => {
  const { iparams: _iparams, currentHost: _host, ...rest } = isObject(payload) ? payload : {};
  return { event: raisableId(event), payload: jsonText(rest) };
};

const JSON_TOKEN = /\s*(?:[{}[\]:,]|"(?:[^"\\\p{Cc}]|\\.)*"|-?\d+(?:\.\d+)?(?:e[+-]?\d+)?|true|false|null)/iuy;

/** Line and column of an error in JSON. Browsers name a position only for some errors: for the others it is that of the first text outside of tokens. */
const placeOfError = (text: string, message: string): readonly [line: number, column: number] => {
  const named = / at position (\d+)/.exec(message)?.[1];
  let at = 0;
  JSON_TOKEN.lastIndex = 0;
  while (JSON_TOKEN.test(text)) at = JSON_TOKEN.lastIndex;
  const offset = named === undefined ? text.length - text.slice(at).trimStart().length : Number(named);
  const lines = text.slice(0, offset).split("\n");
  return [lines.length, (lines.at(-1)?.length ?? 0) + 1];
};

export const raiseProblems = ({ event, payload }: RaiseValues): Partial<Record<keyof RaiseValues, string>> => {
  if (event === "") return { event: texts.eventMissing };
  try {
    return isObject(JSON.parse(payload)) ? {} : { payload: texts.payloadNotObject };
  } catch (error) {
    const { message } = error as Error;
    const reason = message.replace(/ in JSON at position \d+.*$/s, "");
    return { payload: texts.payloadNotJson(reason, ...placeOfError(payload, message)) };
  }
};

/** @errors SyntaxError for a payload that `raiseProblems` refuses */
export const raisedEventOf = ({ event: id, payload }: RaiseValues): NewRaisedEvent => ({
  ...(id.startsWith(FUNCTION_PREFIX) ? { event: id.slice(FUNCTION_PREFIX.length), is_function: true } : { event: id }),
  payload: JSON.parse(payload) as NewRaisedEvent["payload"],
});
