export const JSON_TYPE = "application/json; charset=utf-8";
export const HTML_TYPE = "text/html; charset=utf-8";
export const PROBLEM_TYPE = "application/problem+json; charset=utf-8";

/** @assumed A body without a Content-Type is read as JSON. */
export const isJsonType = (type: string | undefined): boolean =>
  type === undefined || /^application\/(?:[\w.+-]+\+)?json\s*(?:;\s*charset="?utf-8"?\s*)?$/i.test(type.trim());

/** Whether a body is sent without compression. A compressed body could expand to any size. */
export const isIdentityEncoding = (encoding: string | undefined): boolean =>
  encoding === undefined || /^\s*(?:identity)?\s*$/i.test(encoding);
