import { BASE_PATH, routeOf, rowsOf } from "@parley/contract";

const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"];
/** Path prefixes that the service answers and that are in no endpoint table. */
const UNLISTED_PREFIXES = ["/health", "/docs", "/objects", "/outbound-callbacks", "/openapi.json", "/suite"];

/** Whether a request matches the pattern. */
export type FaultPattern = (request: { readonly method: string; readonly path: string }) => boolean;

const expressionOf = (path: string): RegExp => {
  const text = path
    .replace(/[.+?^${}()|[\]\\]/g, (letter) => (letter === "{" || letter === "}" ? letter : `\\${letter}`))
    .replace(/\{\w+\}/g, "[^/]+")
    .replaceAll("*", ".*");
  return new RegExp(`^${text}/?$`);
};

/** -> `["POST", "/v2/users"]`; undefined for a malformed text */
const partsOf = (text: string): readonly [method: string, path: string] | undefined => {
  const [, name = "", path = ""] = /^(\S+)\s+(\/\S*)$/.exec(text.trim()) ?? [];
  const method = name === "*" ? name : METHODS.find((each) => each === name.toUpperCase());
  return method === undefined ? undefined : [method, path];
};

/**
 * Parses an endpoint such as `POST /v2/users`, `GET /v2/users*`, `* /v2/*` or `*`. A name in braces matches one path segment.
 * -> undefined for a malformed text
 */
export function patternOf(text: string): FaultPattern | undefined {
  if (text.trim() === "*") return () => true;
  const parts = partsOf(text);
  if (!parts) return undefined;
  const [expectedMethod, path] = parts;
  const expression = expressionOf(path);
  // The API reference shows paths without the version segment.
  const versioned = expressionOf(BASE_PATH + path);
  return ({ method, path: requestPath }) =>
    (expectedMethod === "*" || expectedMethod === method) &&
    (expression.test(requestPath) || versioned.test(requestPath));
}

const withoutNames = (path: string) => path.replace(/\{\w+\}/g, "{}").replace(/\/$/, "");
const shapes = new Set(
  rowsOf().flatMap(({ row }) => {
    const { method, path } = routeOf(row);
    return [`${method} ${withoutNames(path)}`, `${method} ${withoutNames(BASE_PATH + path)}`];
  }),
);

/** Whether the service has an endpoint that matches. Patterns with a wildcard are always accepted. */
export function isServedRoute(text: string): boolean {
  const parts = partsOf(text);
  if (!parts) return text.trim() === "*";
  const [method, path] = parts;
  if (method === "*" || path.includes("*") || UNLISTED_PREFIXES.some((other) => path.startsWith(other))) return true;
  if (shapes.has(`${method} ${withoutNames(path)}`)) return true;
  // The path may contain actual ids instead of placeholders.
  const request = { method, path };
  return [...shapes].some((shape) => patternOf(shape.replaceAll("{}", "{step}"))?.(request));
}
