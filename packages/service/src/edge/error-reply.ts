import { inspect } from "node:util";
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
import { JSON_TYPE, PROBLEM_TYPE } from "../http/media-type.ts";
import { problemMembers } from "./problem-json.ts";

/** What the database's own errors say besides the values. */
const NAMES = ["code", "schema", "table", "column", "constraint", "dataType", "routine"] as const;

/** Its messages of this class repeat the value that was wrong. */
const isOfData = (code: string): boolean => code.startsWith("22");

/** What is logged of a fault: whole, but for the values that a statement was about, since these may be personal. */
export const faultLogText = (error: Error): string => {
  const said = error as Error & { readonly severity?: unknown } & Partial<Record<(typeof NAMES)[number], string>>;
  if (said.severity === undefined || said.code === undefined) return inspect(error);
  const names = NAMES.flatMap((name) => (said[name] === undefined ? [] : [`${name} ${said[name]}`]));
  const stack = error.stack ?? "";
  const at = stack.indexOf("\n    at ");
  const message = isOfData(said.code) ? "a value of the wrong kind" : error.message;
  return `database: ${message} (${names.join(", ")})${at === -1 ? "" : stack.slice(at)}`;
};

/** How the web server names what it refuses by itself. */
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

/** After a refusal for want of strength. @units seconds */
const STRENGTH = 1;

const unavailable: ErrorReply = {
  problem: SERVICE_UNAVAILABLE,
  message: SERVICE_UNAVAILABLE.message,
  retryAfter: STRENGTH,
};

/**
 * Finds the row of the problem table for whatever was thrown; `fault` hears of what is ours.
 * @shape passing: what passes by itself and fails for many at a time is named by it
 */
export function errorReplyOf(thrown: unknown, fault: (text: string, passing?: string) => void): ErrorReply {
  if (isRefusal(thrown)) return { problem: thrown.problem, message: thrown.message, retryAfter: thrown.retryAfter };
  const error = thrown instanceof Error ? thrown : new Error(String(thrown));
  const known = BY_CODE[(error as { code?: string }).code ?? ""];
  if (known)
    return { problem: known, message: known === INVALID_VALUE ? "The address is not a valid one." : known.message };
  if (isRefusedUnsent(error)) return unavailable;
  if (serverErrorKind(error) !== undefined) {
    fault(faultLogText(error), (error as { code?: string }).code ?? error.message);
    return unavailable;
  }
  fault(faultLogText(error));
  return { problem: INTERNAL_SERVER_ERROR, message: INTERNAL_SERVER_ERROR.message };
}

/** @assumed The category of a refusal whose row names none: by its code. */
const categoryOf = ({ category, code }: Problem): ErrorCategory =>
  category ?? (code >= 500 ? "OTHER" : [401, 403, 429].includes(code) ? "ACCOUNT" : "COMMON");

/** What a missing parameter is to clients of outbound messages. */
const REQUIRED = 5;

/**
 * What a refusal of an outbound message says besides.
 * @assumed Of the codes only that of a missing parameter is known, with its words `template_name is required`; of others it is the HTTP
 * code and our own message.
 */
const outboundMembers = ({ problem, message }: ErrorReply) => {
  if (problem !== MISSING_PARAMETER) return { success: false, error_code: problem.code, error_message: message };
  const places = message.replace(/ (?:is|are) mandatory.*$/, "").split(", ");
  const names = places.map((place) => place.slice(place.lastIndexOf(".") + 1));
  const words = names.length === 1 ? "is required" : "are required";
  return { success: false, error_code: REQUIRED, error_message: `${names.join(", ")} ${words}` };
};

/**
 * The body of every answer that says no, and its type.
 * @shape asProblem: in the form of RFC 9457; addsMessages: a message can't be added; tellsSuccess: an outbound message can't
 * @spec Errors
 */
export const errorReplyBody = (
  { problem, message }: ErrorReply,
  { asProblem = false, addsMessages = false, tellsSuccess = false } = {},
): { type: string; text: string } => {
  const { code, status, category } = problem;
  const added = {
    ...((addsMessages || category) && {
      error_code: code,
      error_message: message,
      error_category: categoryOf(problem),
    }),
    ...(tellsSuccess && outboundMembers({ problem, message })),
  };
  return asProblem
    ? { type: PROBLEM_TYPE, text: JSON.stringify({ ...problemMembers(problem, message), message, ...added }) }
    : { type: JSON_TYPE, text: JSON.stringify({ code, status, message, ...added }) };
};
