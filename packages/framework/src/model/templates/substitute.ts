import { PRODUCTS, type IparamValues, type RequestTemplate } from "@parley/contract";
import { accountHost } from "./account-host.ts";
import { parseTemplate, type Expression, type ParsedTemplate } from "./template.ts";

/** Values for the placeholders of a template. */
export interface TemplateSources {
  /** Parameters without secure parameters. */
  readonly values: IparamValues;
  /** Secure parameters. Allowed in headers only. */
  readonly secrets: Readonly<Record<string, string>>;
  /** App settings. Allowed anywhere; outside the host only if the host may receive them. */
  readonly appSettings?: Readonly<Record<string, string>>;
  readonly context: Readonly<Record<string, unknown>>;
  /** Parameters that were entered before an authorisation, without secure parameters. */
  readonly oauthIparams?: Readonly<Record<string, unknown>>;
  /** Access token. Allowed in headers only, as `secrets`. */
  readonly accessToken?: string | undefined;
  /** Host of the account; undefined without an account. */
  readonly domain: string | undefined;
  /**
   * Other products that the manifest names; their accounts are expected to have the same name. Omitted when hosts for secrets are determined,
   * because nobody has confirmed who owns such an account.
   */
  readonly otherProducts?: readonly string[];
  /** If false, `context` may not be part of the host and headers. */
  readonly isTrusted: boolean;
  /** Names of secrets, such as `iparam.key`, that exist but may not be sent to the host of this request. */
  readonly withheld?: ReadonlySet<string>;
}

/** A template cannot be filled in. The message names the missing value and contains no values. */
export class SubstitutionFailed extends Error {
  override readonly name = "SubstitutionFailed";
}

export interface FilledRequest {
  readonly method: string;
  readonly host: string;
  /** Encoded path without the query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly query: readonly (readonly [string, string])[];
}

type TemplatePart = "host" | "path" | "headers" | "query";

/** Line breaks would allow a value to inject a header or a request. They are permitted in encoded and compared values. */
const LINE_BREAKS = /[\0\r\n]/;

/** A value as text; undefined if it has no text form. */
export const plainText = (value: unknown): string | undefined => {
  if (typeof value === "string") return value;
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  return Array.isArray(value) ? value.join(",") : undefined;
};

const ownText = (values: Readonly<Record<string, unknown>>, key: string): string | undefined =>
  Object.hasOwn(values, key) ? plainText(values[key]) : undefined;

const checkNotWithheld = (name: string, { withheld }: TemplateSources): undefined => {
  if (withheld?.has(name))
    throw new SubstitutionFailed(
      `${name} is secure: it is sent only to a host that the app's files name, or that is stored together with it`,
    );
};

/** Rejects a secret outside of headers. */
const secretInHeader = (name: string, secret: string | undefined, place: TemplatePart): string | undefined => {
  if (secret !== undefined && place !== "headers")
    throw new SubstitutionFailed(`${name} is secure: it may stand in headers only`);
  return secret;
};

const lookUp = (path: readonly string[], place: TemplatePart, from: TemplateSources): string | undefined => {
  const [source, key = "", last = ""] = path;
  if (source === "context") {
    if (!from.isTrusted && (place === "host" || place === "headers"))
      throw new SubstitutionFailed(`context can't stand in ${place} here`);
    return ownText(from.context, key);
  }
  const name = path.join(".");
  if (source === "iparam")
    return (
      ownText(from.values, key) ??
      secretInHeader(name, ownText(from.secrets, key), place) ??
      checkNotWithheld(name, from)
    );
  if (source === "app_settings") return ownText(from.appSettings ?? {}, key) ?? checkNotWithheld(name, from);
  if (source === "oauth_iparams") return ownText(from.oauthIparams ?? {}, key);
  if (source === "access_token" && path.length === 1)
    return secretInHeader(name, from.accessToken, place) ?? checkNotWithheld(name, from);
  if (source !== "current_host" || key !== "endpoint_urls" || from.domain === undefined) return undefined;
  if (PRODUCTS.some((product) => product === last)) return `https://${from.domain}`;
  return from.otherProducts?.includes(last) ? `https://${accountHost(last, from.domain)}` : undefined;
};

/** Truth value of a text in a condition. */
const isTrue = (text: string): boolean => text !== "" && text !== "false";

/** @shape allowsLineBreaks: line breaks are permitted, since the text is encoded or compared */
const fillPiece = (piece: Expression, place: TemplatePart, from: TemplateSources, allowsLineBreaks = false): string => {
  const all = (template: ParsedTemplate, inner = allowsLineBreaks) =>
    template.map((one) => fillPiece(one, place, from, inner)).join("");
  if (piece.kind === "text") return piece.text;
  if (piece.kind === "encode") return Buffer.from(all(piece.inner, true)).toString("base64");
  if (piece.kind === "compare")
    return (fillOptional(piece.left, place, from, true) === fillOptional(piece.right, place, from, true)) ===
      piece.isEqual
      ? "true"
      : "";
  if (piece.kind === "or") return fillOptional(piece.first, place, from, allowsLineBreaks) || all(piece.second);
  if (piece.kind === "choice")
    return all(isTrue(fillOptional(piece.test, place, from, true)) ? piece.first : piece.second);
  const text = lookUp(piece.path, place, from);
  if (text === undefined) throw new SubstitutionFailed(`${piece.path.join(".")} has no value`);
  if (!allowsLineBreaks && LINE_BREAKS.test(text))
    throw new SubstitutionFailed(`${piece.path.join(".")} has a line break in it`);
  return text;
};

/** Returns "" for a single absent value, which is not an error in a condition. */
const fillOptional = (
  template: ParsedTemplate,
  place: TemplatePart,
  from: TemplateSources,
  allowsLineBreaks: boolean,
): string => {
  const [piece, ...remaining] = template;
  if (piece?.kind === "value" && remaining.length === 0 && lookUp(piece.path, place, from) === undefined) return "";
  return template.map((inner) => fillPiece(inner, place, from, allowsLineBreaks)).join("");
};

/** Fills in the placeholders of a text. @errors SubstitutionFailed, TemplateError */
export const fillTemplate = (text: string, place: TemplatePart, from: TemplateSources): string =>
  parseTemplate(text)
    .map((piece) => fillPiece(piece, place, from))
    .join("");

/** The parts of a filled-in text, each marked as literal or as the value of a placeholder. @errors SubstitutionFailed, TemplateError */
export const filledPieces = (
  text: string,
  place: TemplatePart,
  from: TemplateSources,
): readonly { readonly text: string; readonly isFilled: boolean }[] =>
  parseTemplate(text).map((piece) => ({ text: fillPiece(piece, place, from), isFilled: piece.kind !== "text" }));

/** One slash: a path without one would continue the host, and two begin an address of another host. */
const ABSOLUTE_PATH = /^\/(?![/\\])/;

/**
 * Fills in the path. Values are inserted as they are and may contain several segments, which existing apps rely on.
 * @assumed Characters that a path cannot contain are percent-encoded. A value may not contain `..` segments. If the template begins with a
 *   placeholder, its value has to begin with a single slash; a template that begins with a slash itself accepts any value after it.
 */
const fillPath = (text: string, from: TemplateSources): string => {
  // Converting to UTF-8 and back replaces unpaired surrogates.
  const filled = Buffer.from(fillTemplate(text, "path", from)).toString();
  if (!text.startsWith("/") && !ABSOLUTE_PATH.test(filled))
    throw new SubstitutionFailed(
      "the filled-in path must begin with a single '/', such as /v2/users, and can't contain a host",
    );
  const path = filled.replace(/[^\x21-\x7e]|[#\\"<>^`{|}]/gu, encodeURIComponent);
  const [bare = ""] = path.split("?");
  if (bare.split("/").some((segment) => /^(?:\.|%2e){1,2}$/i.test(segment)))
    throw new SubstitutionFailed("the path climbs");
  return path;
};

/** Omits a parameter whose text is a single absent context value. */
const fillQuery = (name: string, text: string, from: TemplateSources): [string, string][] => {
  const [piece, ...remaining] = parseTemplate(text);
  const isOptional = piece?.kind === "value" && piece.path[0] === "context" && remaining.length === 0;
  if (isOptional && lookUp(piece.path, "query", from) === undefined) return [];
  return [[name, fillTemplate(text, "query", from)]];
};

/**
 * Fills in a request template. Secure values are inserted here only: parameters in headers, app settings also in path and query.
 * @shape sourcesFor: the sources for headers, by the filled-in host
 * @errors SubstitutionFailed, TemplateError
 */
export const substitute = (
  { schema }: RequestTemplate,
  from: TemplateSources,
  sourcesFor: (host: string) => TemplateSources,
): FilledRequest => {
  const host = fillTemplate(schema.host, "host", from);
  const forHeaders = sourcesFor(host);
  const { appSettings = {}, withheld = new Set() } = forHeaders;
  const forAddress: TemplateSources = { ...from, appSettings, withheld };
  // Repeated with the sources of the final host: a secure setting in the host is disclosed to the owner of the remaining domain.
  fillTemplate(schema.host, "host", forAddress);
  return {
    method: schema.method,
    host,
    path: fillPath(schema.path ?? "/", forAddress),
    headers: Object.fromEntries(
      Object.entries(schema.headers ?? {}).map(([name, text]) => [name, fillTemplate(text, "headers", forHeaders)]),
    ),
    query: Object.entries(schema.query ?? {}).flatMap(([name, text]) => fillQuery(name, text, forAddress)),
  };
};
