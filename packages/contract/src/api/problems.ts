import { problem } from "../kernel/problem.ts";

/** Failures that more than one resource can answer with. @spec Errors */
export const UNAUTHENTICATED = problem({
  code: 401,
  status: "UNAUTHENTICATED",
  message:
    "The access token is missing, unknown or expired. Send a valid one as 'Authorization: Bearer <ACCESS_TOKEN>'.",
});
export const FORBIDDEN = problem({
  code: 403,
  status: "FORBIDDEN",
  message: "The access token does not allow this.",
});
export const NOT_FOUND = problem({
  code: 404,
  status: "NOT_FOUND",
  message: "There is nothing at this address. The API reference at /docs lists the addresses.",
});
export const METHOD_NOT_ALLOWED = problem({
  code: 405,
  status: "METHOD_NOT_ALLOWED",
  message: "This address does not take this method. The Allow header lists those that it takes.",
});
/** What arrived is no HTTP request. */
export const MALFORMED_REQUEST = problem({
  code: 400,
  status: "MALFORMED_REQUEST",
  message: "This is not a request that the service can read.",
});
export const REQUEST_TIMEOUT = problem({
  code: 408,
  status: "REQUEST_TIMEOUT",
  message: "The request did not arrive in full in time.",
});
export const HEADERS_TOO_LARGE = problem({
  code: 431,
  status: "HEADERS_TOO_LARGE",
  message: "The headers of the request are larger than the service accepts.",
});
export const PAYLOAD_TOO_LARGE = problem({
  code: 413,
  status: "PAYLOAD_TOO_LARGE",
  message: "The request is larger than the service accepts.",
});
export const UNSUPPORTED_MEDIA_TYPE = problem({
  code: 415,
  status: "UNSUPPORTED_MEDIA_TYPE",
  message: "The body must be JSON: send it with 'Content-Type: application/json'.",
});
export const TOO_MANY_REQUESTS = problem({
  code: 429,
  status: "TOO_MANY_REQUESTS",
  message: "The account's hourly allowance of calls is used up. Retry after the time in the Retry-After header.",
});
export const INTERNAL_SERVER_ERROR = problem({
  code: 500,
  status: "INTERNAL_SERVER_ERROR",
  message: "The service met an unexpected error. It has been logged.",
});
export const SERVICE_UNAVAILABLE = problem({
  code: 503,
  status: "SERVICE_UNAVAILABLE",
  message: "The service can't take this request now. Retry after the time in the Retry-After header.",
});
/** A value of the wrong kind, outside its bounds, or of no known meaning. The message names it. */
export const INVALID_VALUE = problem({ code: 400, status: "INVALID_VALUE", message: "A value is not valid." });
/** Something mandatory is absent. The message names it. */
export const MISSING_PARAMETER = problem({
  code: 400,
  status: "MISSING_PARAMETER",
  message: "A mandatory parameter is missing.",
});
/** The body can't be read as JSON. */
export const INVALID_JSON = problem({ code: 400, status: "INVALID_JSON", message: "The body is not valid JSON." });
/** Someone else changed the thing between the read and the write of this request. */
export const CONFLICT = problem({
  code: 409,
  status: "CONFLICT",
  message: "Another request changed this at the same time. Read it again and retry.",
});

/** What every endpoint can answer with, whatever its row says. */
export const EVERYWHERE = [
  INVALID_VALUE,
  UNAUTHENTICATED,
  FORBIDDEN,
  TOO_MANY_REQUESTS,
  INTERNAL_SERVER_ERROR,
  SERVICE_UNAVAILABLE,
] as const;

/** What every endpoint with a body can answer with besides. */
export const EVERY_BODY = [MISSING_PARAMETER, INVALID_JSON, PAYLOAD_TOO_LARGE, UNSUPPORTED_MEDIA_TYPE] as const;

/** What every endpoint that takes a form can answer with besides. */
export const EVERY_UPLOAD = [MISSING_PARAMETER, PAYLOAD_TOO_LARGE, UNSUPPORTED_MEDIA_TYPE] as const;

/** What an address that is no endpoint, and a request that reaches none, is answered with. */
export const NOWHERE = [NOT_FOUND, METHOD_NOT_ALLOWED, MALFORMED_REQUEST, REQUEST_TIMEOUT, HEADERS_TOO_LARGE] as const;
