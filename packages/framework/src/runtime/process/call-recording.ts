import type { Invocation, InvocationLine, InvocationRequest, LogLevel } from "@parley/contract";

/** What one call does on its way. */
export interface CallRecording {
  line(level: LogLevel, text: string): void;
  request(request: InvocationRequest): void;
  /** Id of the job that the call is. */
  readonly job?: string;
}

/** Lines and requests of one call that are kept; more are counted in a last line. */
const maxRecordedEntries = 200;
/** @units characters */
const maxLineCharacters = 2_000;
/** Of a payload or an output, as JSON. @units characters */
const maxValueCharacters = 262_144;

const cut = (text: string) => (text.length > maxLineCharacters ? `${text.slice(0, maxLineCharacters)} …` : text);

/** Keeps what a call does, within bounds: an app may log or ask without an end. */
export const openCallRecording = (): CallRecording & { taken(): Pick<Invocation, "lines" | "requests"> } => {
  const lines: InvocationLine[] = [];
  const requests: InvocationRequest[] = [];
  let dropped = 0;
  const keep = <T>(list: T[], one: T) => {
    if (list.length < maxRecordedEntries) list.push(one);
    else dropped += 1;
  };
  return {
    line: (level, text) => keep(lines, { level, text: cut(text) }),
    request: (request) => keep(requests, request),
    taken: () => ({
      lines:
        dropped === 0 ? lines : [...lines, { level: "warn", text: `${dropped} more lines or requests are not kept` }],
      requests,
    }),
  };
};

/** A value as a record keeps it: the largest ones aren't kept. */
export const recordableValue = (value: unknown): unknown => {
  const length = JSON.stringify(value)?.length ?? 0;
  return length > maxValueCharacters ? `not kept: ${length} characters of JSON` : value;
};
