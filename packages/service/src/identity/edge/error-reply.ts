import { failureTextWithStack } from "@parley/telemetry";
import {
  INTERNAL_SERVER_ERROR,
  INVALID_JSON,
  INVALID_VALUE,
  isRefusal,
  MISSING_PARAMETER,
  NOT_FOUND,
  PAYLOAD_TOO_LARGE,
  SERVICE_UNAVAILABLE,
  UNSUPPORTED_MEDIA_TYPE,
  type ErrorCategory,
  type Problem,
} from "@parley/contract";
import { isRefusedUnsent, serverErrorKind } from "@parley/database";
import { ObjectStoreFailure } from "../../base/objects/object-store.ts";
import { JSON_TYPE, PROBLEM_TYPE } from "../../http/media-type.ts";

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
const problemMembers = ({ code, status, message: title }: Problem, detail: string) => ({
  type: `/docs/errors#${status}`,
  title,
  status: code,
  detail,
  code: status,
});

/** Fastify's own refusals by error code. */
const BY_CODE: Readonly<Record<string, Problem>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: PAYLOAD_TOO_LARGE,
  FST_ERR_CTP_INVALID_MEDIA_TYPE: UNSUPPORTED_MEDIA_TYPE,
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: INVALID_JSON,
  FST_ERR_BAD_URL: INVALID_VALUE,
  FST_ERR_MAX_PARAM_LENGTH: NOT_FOUND,
};

export interface ErrorReply {
  readonly problem: Problem;
  readonly message: string;
  /** @units seconds */
  readonly retryAfter?: number | undefined;
}

/** Retry-After of a 503. @units seconds */
const RETRY_AFTER_S = 1;

const unavailable: ErrorReply = {
  problem: SERVICE_UNAVAILABLE,
  message: SERVICE_UNAVAILABLE.message,
  retryAfter: RETRY_AFTER_S,
};

/**
 * Finds the problem row of a thrown value. Internal errors are passed to `fault`.
 * @shape temporaryKey: the key of a temporary error that fails many requests at a time
 */
export function errorReplyOf(thrown: unknown, fault: (text: string, temporaryKey?: string) => void): ErrorReply {
  if (isRefusal(thrown)) return { problem: thrown.problem, message: thrown.message, retryAfter: thrown.retryAfter };
  const error = thrown instanceof Error ? thrown : new Error(String(thrown));
  const fastifyProblem = BY_CODE[(error as { code?: string }).code ?? ""];
  if (fastifyProblem)
    return {
      problem: fastifyProblem,
      message: fastifyProblem === INVALID_VALUE ? "The address is not valid." : fastifyProblem.message,
    };
  if (isRefusedUnsent(error)) return unavailable;
  if (serverErrorKind(error) !== undefined) {
    fault(failureTextWithStack(error), (error as { code?: string }).code ?? error.message);
    return unavailable;
  }
  if (error instanceof ObjectStoreFailure) {
    fault(error.message, error.name);
    return unavailable;
  }
  fault(failureTextWithStack(error));
  return { problem: INTERNAL_SERVER_ERROR, message: INTERNAL_SERVER_ERROR.message };
}

/** @assumed A refusal whose row has no category gets one by its status code. */
const categoryOf = ({ category, code }: Problem): ErrorCategory =>
  category ?? (code >= 500 ? "OTHER" : [401, 403, 429].includes(code) ? "ACCOUNT" : "COMMON");

/** The error code of a missing parameter in replies about outbound messages. */
const MISSING_PARAMETER_CODE = 5;

/**
 * Additional members of a refused outbound message.
 * @assumed Only the code of a missing parameter is known, with its text `template_name is required`. Other refusals have the HTTP code and
 * the usual message.
 */
const outboundMembers = ({ problem, message }: ErrorReply) => {
  if (problem !== MISSING_PARAMETER) return { success: false, error_code: problem.code, error_message: message };
  const places = message.replace(/ (?:is|are) mandatory.*$/, "").split(", ");
  const names = places.map((place) => place.slice(place.lastIndexOf(".") + 1));
  const words = names.length === 1 ? "is required" : "are required";
  return { success: false, error_code: MISSING_PARAMETER_CODE, error_message: `${names.join(", ")} ${words}` };
};

/**
 * The body and media type of an error reply.
 * @shape asProblem: in the format of RFC 9457; addsMessages: for an endpoint that adds messages; reportsSuccess: for outbound messages
 * @spec Errors
 */
export const errorReplyBody = (
  { problem, message }: ErrorReply,
  { asProblem = false, addsMessages = false, reportsSuccess = false } = {},
): { type: string; text: string } => {
  const { code, status, category } = problem;
  const added = {
    ...((addsMessages || category) && {
      error_code: code,
      error_message: message,
      error_category: categoryOf(problem),
    }),
    ...(reportsSuccess && outboundMembers({ problem, message })),
  };
  return asProblem
    ? { type: PROBLEM_TYPE, text: JSON.stringify({ ...problemMembers(problem, message), message, ...added }) }
    : { type: JSON_TYPE, text: JSON.stringify({ code, status, message, ...added }) };
};
