import { PRODUCTS, type IparamValues, type RequestTemplate } from "@parley/contract";
import { accountHost } from "./account-host.ts";
import { parseTemplate, type Expression, type ParsedTemplate } from "./template.ts";

/** What a template is filled from. */
export interface TemplateSources {
  /** Without secure ones. */
  readonly values: IparamValues;
  /** Read for headers only, whatever the template says. */
  readonly secrets: Readonly<Record<string, string>>;
  /** App settings. They may stand anywhere; outside the host only where it may receive them. */
  readonly appSettings?: Readonly<Record<string, string>>;
  readonly context: Readonly<Record<string, unknown>>;
  /** What a person gave before an authorisation, without secure ones. */
  readonly oauthIparams?: Readonly<Record<string, unknown>>;
  /** As secret as `secrets`. */
  readonly accessToken?: string | undefined;
  /** Host of the account; undefined where none is known. */
  readonly domain: string | undefined;
  /**
   * Other products that the manifest names: their accounts are those of the same name. Left out where it is asked which hosts a secret may be sent to: nobody has
   * said whose account that is.
   */
  readonly otherProducts?: readonly string[];
  /** False keeps `context` out of host and headers. */
  readonly isTrusted: boolean;
  /** Names of secrets, such as `iparam.key`, that there are, and that may not be sent to this request's host. */
  readonly withheld?: ReadonlySet<string>;
}

/** Why a template can't be filled in; the message names what is missing, never a value. */
export class SubstitutionFailed extends Error {
  override readonly name = "SubstitutionFailed";
}

export interface FilledRequest {
  readonly method: string;
  readonly host: string;
  /** As it goes on the wire, without the query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly query: readonly (readonly [string, string])[];
}

type TemplatePart = "host" | "path" | "headers" | "query";

/** A line's end in a value could begin a header, or a request, of its own; what is encoded or only compared can hold some. */
const BREAKS = /[\0\r\n]/;

/** A value as text; undefined for what has no plain text. */
export const plainText = (value: unknown): string | undefined => {
  if (typeof value === "string") return value;
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  return Array.isArray(value) ? value.join(",") : undefined;
};

const ownText = (values: Readonly<Record<string, unknown>>, key: string): string | undefined =>
  Object.hasOwn(values, key) ? plainText(values[key]) : undefined;

const refuseWithheld = (name: string, { withheld }: TemplateSources): undefined => {
  if (withheld?.has(name))
    throw new SubstitutionFailed(
      `${name} is secure: it is sent only to a host that the app's files name, or that is stored together with it`,
    );
};

/** Where only headers may hold what is secret. */
const kept = (name: string, secret: string | undefined, place: TemplatePart): string | undefined => {
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
    return ownText(from.values, key) ?? kept(name, ownText(from.secrets, key), place) ?? refuseWithheld(name, from);
  if (source === "app_settings") return ownText(from.appSettings ?? {}, key) ?? refuseWithheld(name, from);
  if (source === "oauth_iparams") return ownText(from.oauthIparams ?? {}, key);
  if (source === "access_token" && path.length === 1)
    return kept(name, from.accessToken, place) ?? refuseWithheld(name, from);
  if (source !== "current_host" || key !== "endpoint_urls" || from.domain === undefined) return undefined;
  if (PRODUCTS.some((product) => product === last)) return `https://${from.domain}`;
  return from.otherProducts?.includes(last) ? `https://${accountHost(last, from.domain)}` : undefined;
};

/** As a condition reads a text. */
const isTrue = (text: string): boolean => text !== "" && text !== "false";

/** `mayBreak`: the text does not go on the wire as it is. */
const fillPiece = (piece: Expression, place: TemplatePart, from: TemplateSources, mayBreak = false): string => {
  const all = (template: ParsedTemplate, inner = mayBreak) =>
    template.map((one) => fillPiece(one, place, from, inner)).join("");
  if (piece.kind === "text") return piece.text;
  if (piece.kind === "encode") return Buffer.from(all(piece.inner, true)).toString("base64");
  if (piece.kind === "compare")
    return (optional(piece.left, place, from, true) === optional(piece.right, place, from, true)) === piece.isEqual
      ? "true"
      : "";
  if (piece.kind === "or") return optional(piece.first, place, from, mayBreak) || all(piece.second);
  if (piece.kind === "choice") return all(isTrue(optional(piece.test, place, from, true)) ? piece.first : piece.second);
  const text = lookUp(piece.path, place, from);
  if (text === undefined) throw new SubstitutionFailed(`${piece.path.join(".")} has no value`);
  if (!mayBreak && BREAKS.test(text)) throw new SubstitutionFailed(`${piece.path.join(".")} has a line break in it`);
  return text;
};

/** "" where a single value is absent, which is no failure where it is asked about. */
const optional = (template: ParsedTemplate, place: TemplatePart, from: TemplateSources, mayBreak: boolean): string => {
  const [piece, ...rest] = template;
  if (piece?.kind === "value" && rest.length === 0 && lookUp(piece.path, place, from) === undefined) return "";
  return template.map((inner) => fillPiece(inner, place, from, mayBreak)).join("");
};

/** Fills a text's holes. @errors SubstitutionFailed, TemplateError */
export const fillTemplate = (text: string, place: TemplatePart, from: TemplateSources): string =>
  parseTemplate(text)
    .map((piece) => fillPiece(piece, place, from))
    .join("");

/** The pieces of a text, told apart: what its author wrote, and what filled a hole. @errors SubstitutionFailed, TemplateError */
export const filledPieces = (
  text: string,
  place: TemplatePart,
  from: TemplateSources,
): readonly { readonly text: string; readonly isFilled: boolean }[] =>
  parseTemplate(text).map((piece) => ({ text: fillPiece(piece, place, from), isFilled: piece.kind !== "text" }));

/**
 * The path with its values as they are, so that a value may hold several segments, as apps of the field count on.
 * @assumed What a path can't hold is percent-encoded; a value may not climb by `..`.
 */
const fillPath = (text: string, from: TemplateSources): string => {
  // A half of a surrogate pair has no place in UTF-8.
  const filled = Buffer.from(fillTemplate(text, "path", from)).toString();
  const path = filled.replace(/[^\x21-\x7e]|[#\\"<>^`{|}]/gu, encodeURIComponent);
  const [bare = ""] = path.split("?");
  if (bare.split("/").some((segment) => /^(?:\.|%2e){1,2}$/i.test(segment)))
    throw new SubstitutionFailed("the path climbs");
  return path;
};

/** A parameter whose only text is a value that is absent is left out. */
const fillQuery = (name: string, text: string, from: TemplateSources): [string, string][] => {
  const [piece, ...rest] = parseTemplate(text);
  const isOptional = piece?.kind === "value" && piece.path[0] === "context" && rest.length === 0;
  if (isOptional && lookUp(piece.path, "query", from) === undefined) return [];
  return [[name, fillTemplate(text, "query", from)]];
};

/**
 * Fills a template in. The only place where a secure value joins a request: in its headers; app settings also in its path and query.
 * @shape sourcesFor: the sources of the headers, by the host that was filled in
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
  // A secure setting in the host is known to whoever the rest of the host names.
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
