import type { TraceContext } from "@parley/telemetry";
import type { Invocation, InvocationLine, InvocationRequest, AppLogLevel } from "@parley/contract";

/** Log lines and requests of one call. */
export interface CallRecording {
  line(level: AppLogLevel, text: string): void;
  request(request: InvocationRequest): void;
  /** Counts lines that the app's process did not send. */
  omit(lines: number): void;
  /** Id of the job, if the call is a job. */
  readonly job?: string;
  /** The span of the call. */
  readonly trace?: TraceContext;
}

/** Maximum number of lines and of requests that are kept for a call; the last line gives the number of dropped lines or requests. */
const RECORDED_ENTRIES_MAX = 200;
/** @units characters */
const LINE_CHARACTERS_MAX = 2_000;
/** Maximum size of a payload or an output as JSON. @units characters */
const VALUE_CHARACTERS_MAX = 262_144;

const cut = (text: string) => (text.length > LINE_CHARACTERS_MAX ? `${text.slice(0, LINE_CHARACTERS_MAX)} …` : text);

/** Records a call within limits, because an app may log or send requests without limit. */
export const openCallRecording = (): CallRecording & { taken(): Pick<Invocation, "lines" | "requests"> } => {
  const lines: InvocationLine[] = [];
  const requests: InvocationRequest[] = [];
  let dropped = 0;
  const keep = <T>(list: T[], one: T) => {
    if (list.length < RECORDED_ENTRIES_MAX) list.push(one);
    else dropped += 1;
  };
  return {
    line: (level, text) => keep(lines, { level, text: cut(text) }),
    request: (request) => keep(requests, request),
    omit: (count) => void (dropped += count),
    taken: () => ({
      lines:
        dropped === 0 ? lines : [...lines, { level: "warn", text: `${dropped} more lines or requests are not kept` }],
      requests,
    }),
  };
};

/** Returns a value as a record stores it: values over the limit are omitted. */
export const recordableValue = (value: unknown): unknown => {
  const length = JSON.stringify(value)?.length ?? 0;
  return length > VALUE_CHARACTERS_MAX ? `not kept: ${length} characters of JSON` : value;
};
