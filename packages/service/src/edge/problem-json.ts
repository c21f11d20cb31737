import type { Problem } from "@parley/contract";

/** -> the quality of each media range in an Accept header, in lower case */
function qualitiesOf(accept: string): Map<string, number> {
  const qualities = new Map<string, number>();
  for (const range of accept.toLowerCase().split(",")) {
    const [type = "", ...parameters] = range.split(";").map((part) => part.trim());
    const weight = parameters.find((parameter) => /^q\s*=/.test(parameter))?.replace(/^q\s*=\s*/, "");
    const quality = weight === undefined ? 1 : /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.test(weight) ? Number(weight) : 0;
    qualities.set(type, Math.max(quality, qualities.get(type) ?? 0));
  }
  return qualities;
}

/**
 * Whether errors should have the format of RFC 9457.
 * @assumed Only if the Accept header names application/problem+json itself, with a quality no lower than application/json. A wildcard selects
 * the specification's own format.
 */
export function prefersProblem(accept: string | undefined): boolean {
  // The usual case.
  if (!accept || !/problem\+json/i.test(accept)) return false;
  const qualities = qualitiesOf(accept);
  const quality = qualities.get("application/problem+json") ?? 0;
  return quality > 0 && quality >= (qualities.get("application/json") ?? 0);
}

/** The members of RFC 9457, and the members of the usual body with other names. `code` contains the status token here. */
export const problemMembers = ({ code, status, message: title }: Problem, detail: string) => ({
  type: `/docs/errors#${status}`,
  title,
  status: code,
  detail,
  code: status,
});
