import type { Endpoint } from "../kernel/endpoint.ts";
import { problem, type Problem } from "../kernel/problem.ts";
import { IDEMPOTENCY_PROBLEMS } from "./idempotency.ts";

/** Problems that more than one resource can return. @spec Errors */
export const UNAUTHENTICATED = problem({
  code: 401,
  status: "UNAUTHENTICATED",
  message:
    "The access token is missing, unknown or expired. Send a valid one as 'Authorization: Bearer <ACCESS_TOKEN>'.",
  remedy:
    "Get a token for the account, or a fresh one in place of an expired or revoked one, and send the request again with it.",
});
export const FORBIDDEN = problem({
  code: 403,
  status: "FORBIDDEN",
  message: "The access token does not allow this.",
  remedy:
    "Ask whoever issues the account's tokens for one with the permission that the message names, or call the address of the token's own account.",
});
/** @assumed The status token. The data of a closed account is deleted later; until then the operator can reopen it. */
export const ACCOUNT_CLOSED = problem({
  code: 403,
  status: "ACCOUNT_CLOSED",
  message: "The account is closed.",
  remedy: "Ask the operator of the service to reopen the account before its data is deleted.",
});
/** @errors of every endpoint with a visitor's session, while the account requires signed identities and the session has no valid token */
export const SIGNED_IDENTITY_REQUIRED = problem({
  code: 403,
  status: "SIGNED_IDENTITY_REQUIRED",
  message: "This account shows conversations only to visitors whose site has signed their identity.",
  remedy: "Pass a signed token to authenticate, and begin a session with it.",
});
export const NOT_FOUND = problem({
  code: 404,
  status: "NOT_FOUND",
  message: "There is nothing at this address. The API reference at /docs lists the addresses.",
  remedy: "Compare the address with the reference: its version segment, its spelling, its slashes.",
});
export const METHOD_NOT_ALLOWED = problem({
  code: 405,
  status: "METHOD_NOT_ALLOWED",
  message: "This address does not take this method. The Allow header lists those that it takes.",
  remedy: "Send one of the methods that the Allow header lists.",
});
/** The received bytes are not a valid HTTP request. */
export const MALFORMED_REQUEST = problem({
  code: 400,
  status: "MALFORMED_REQUEST",
  message: "This is not a request that the service can read.",
  remedy: "Send HTTP/1.1 with a Host header, and look at what stands between the client and the service.",
});
/** @assumed The status token. `100-continue` is the only supported expectation. */
export const EXPECTATION_FAILED = problem({
  code: 417,
  status: "EXPECTATION_FAILED",
  message: "The service can't meet what the Expect header asks for.",
  remedy: "Leave the Expect header out, or send 'Expect: 100-continue'.",
});
export const REQUEST_TIMEOUT = problem({
  code: 408,
  status: "REQUEST_TIMEOUT",
  message: "The request did not arrive in full in time.",
  remedy: "Send the whole request at once, over a new connection.",
});
export const HEADERS_TOO_LARGE = problem({
  code: 431,
  status: "HEADERS_TOO_LARGE",
  message: "The headers of the request are larger than the service accepts.",
  remedy: "Send fewer or shorter headers, cookies among them.",
});
export const PAYLOAD_TOO_LARGE = problem({
  code: 413,
  status: "PAYLOAD_TOO_LARGE",
  message: "The request is larger than the service accepts.",
  remedy: "Send less in one request: the reference names the limits.",
});
export const UNSUPPORTED_MEDIA_TYPE = problem({
  code: 415,
  status: "UNSUPPORTED_MEDIA_TYPE",
  message: "The body must be JSON: send it with 'Content-Type: application/json'.",
  remedy: "Send the Content-Type that the reference names for the endpoint, with no Content-Encoding.",
});
export const TOO_MANY_REQUESTS = problem({
  code: 429,
  status: "TOO_MANY_REQUESTS",
  message: "The account's hourly allowance of calls is used up. Retry after the time in the Retry-After header.",
  remedy:
    "Wait for as many seconds as the Retry-After header says; X-RateLimit-Remaining tells beforehand how many calls are left.",
});
export const INTERNAL_SERVER_ERROR = problem({
  code: 500,
  status: "INTERNAL_SERVER_ERROR",
  message: "The service met an unexpected error. It has been logged.",
  remedy: "Retry once; if it happens again, tell the operator of the service the time and the address.",
});
export const SERVICE_UNAVAILABLE = problem({
  code: 503,
  status: "SERVICE_UNAVAILABLE",
  message: "The service can't take this request now. Retry after the time in the Retry-After header.",
  remedy: "Retry after as many seconds as the Retry-After header says.",
});
/** A value of the wrong type, out of range, or with no defined meaning. The message names the value. */
export const INVALID_VALUE = problem({
  code: 400,
  status: "INVALID_VALUE",
  message: "A value is not valid.",
  remedy: "Correct what the message names; the reference says what it takes.",
});
/** A required value is absent. The message names it. */
export const MISSING_PARAMETER = problem({
  code: 400,
  status: "MISSING_PARAMETER",
  message: "A mandatory parameter is missing.",
  remedy: "Send what the message names; a null counts as absent.",
});
export const INVALID_JSON = problem({
  code: 400,
  status: "INVALID_JSON",
  message: "The body is not valid JSON.",
  remedy: "Print the body with a JSON library, in UTF-8, each member of an object once.",
});
/** The body is not a complete multipart form. */
export const INVALID_FORM = problem({
  code: 400,
  status: "INVALID_FORM",
  message: "The body is not a complete form of type multipart/form-data.",
});
/** Another request changed the object between this request's read and write. */
export const CONFLICT = problem({
  code: 409,
  status: "CONFLICT",
  message: "Another request changed this at the same time. Read it again and retry.",
  remedy: "Read the object again, decide again, and send the request again.",
});

/** Problems that every endpoint can return in addition to those of its row. */
export const COMMON_PROBLEMS = [
  INVALID_VALUE,
  UNAUTHENTICATED,
  FORBIDDEN,
  PAYLOAD_TOO_LARGE,
  TOO_MANY_REQUESTS,
  INTERNAL_SERVER_ERROR,
  SERVICE_UNAVAILABLE,
] as const;

/** Additional problems of every endpoint that an access token can call. */
export const TOKEN_PROBLEMS = [ACCOUNT_CLOSED] as const;

/** Additional problems of every endpoint that the session of a visitor can call, except for the end of the session. */
export const VISITOR_PROBLEMS = [SIGNED_IDENTITY_REQUIRED] as const;

/** Additional problems of every endpoint with a body. */
export const BODY_PROBLEMS = [MISSING_PARAMETER, INVALID_JSON, PAYLOAD_TOO_LARGE, UNSUPPORTED_MEDIA_TYPE] as const;

/** Additional problems of every endpoint with an upload. */
export const UPLOAD_PROBLEMS = [MISSING_PARAMETER, INVALID_FORM, PAYLOAD_TOO_LARGE, UNSUPPORTED_MEDIA_TYPE] as const;

/** Problems of a request that matches no endpoint or is refused before routing. */
export const ROUTING_PROBLEMS = [
  NOT_FOUND,
  METHOD_NOT_ALLOWED,
  MALFORMED_REQUEST,
  EXPECTATION_FAILED,
  REQUEST_TIMEOUT,
  HEADERS_TOO_LARGE,
] as const;

const hasRequired = (query: { readonly required?: readonly string[] } | undefined): boolean =>
  (query?.required ?? []).length > 0;

/** Every problem that an endpoint can return, without duplicates. */
export const problemsOf = (row: Endpoint): Problem[] => [
  ...new Set<Problem>([
    ...(row.problems ?? []),
    ...COMMON_PROBLEMS,
    ...(row.access.token !== undefined ? TOKEN_PROBLEMS : []),
    ...(row.access.visitor !== undefined && row.access.visitor !== "session" ? VISITOR_PROBLEMS : []),
    ...(hasRequired(row.query) ? [MISSING_PARAMETER] : []),
    ...(row.body ? BODY_PROBLEMS : []),
    ...(row.upload ? UPLOAD_PROBLEMS : []),
    ...(row.acceptsIdempotencyKey ? IDEMPOTENCY_PROBLEMS : []),
  ]),
];
