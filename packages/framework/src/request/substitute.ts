import { PRODUCTS, type IparamValues, type RequestTemplate } from "@parley/contract";
import { type Expression, parseTemplate } from "./template.ts";

/** What a template is filled from. */
export interface Sources {
  /** Without secure ones. */
  readonly values: IparamValues;
  /** Read for headers only, whatever the template says. */
  readonly secrets: Readonly<Record<string, string>>;
  readonly context: Readonly<Record<string, unknown>>;
  /** Host of the account; undefined where none is known. */
  readonly domain: string | undefined;
  /** False keeps `context` out of host and headers. */
  readonly isTrusted: boolean;
}

/** Why a template can't be filled in; the message names what is missing, never a value. */
export class SubstitutionFailed extends Error {
  override readonly name = "SubstitutionFailed";
}

export interface Filled {
  readonly method: string;
  readonly host: string;
  /** As it goes on the wire, without the query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly query: readonly (readonly [string, string])[];
}

type Place = "host" | "path" | "headers" | "query";

/** A line's end in a value could begin a header, or a request, of its own. */
const BREAKS = /[\0\r\n]/;

/** A value as text; undefined for what has no plain text. */
export const plainText = (value: unknown): string | undefined => {
  if (typeof value === "string") return value;
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  return Array.isArray(value) ? value.join(",") : undefined;
};

const ownText = (values: Readonly<Record<string, unknown>>, key: string): string | undefined =>
  Object.hasOwn(values, key) ? plainText(values[key]) : undefined;

const lookUp = (path: readonly string[], place: Place, from: Sources): string | undefined => {
  const [source, key = "", last = ""] = path;
  if (source === "context") {
    if (!from.isTrusted && (place === "host" || place === "headers"))
      throw new SubstitutionFailed(`context can't stand in ${place} here`);
    return ownText(from.context, key);
  }
  if (source === "iparam")
    return ownText(from.values, key) ?? (place === "headers" ? ownText(from.secrets, key) : undefined);
  const isAddress =
    source === "current_host" && key === "endpoint_urls" && PRODUCTS.some((product) => product === last);
  return isAddress && from.domain !== undefined ? `https://${from.domain}` : undefined;
};

const fillPiece = (piece: Expression, place: Place, from: Sources): string => {
  if (piece.kind === "text") return piece.text;
  if (piece.kind === "encode")
    return Buffer.from(piece.inner.map((inner) => fillPiece(inner, place, from)).join("")).toString("base64");
  const text = lookUp(piece.path, place, from);
  if (text === undefined) throw new SubstitutionFailed(`${piece.path.join(".")} has no value`);
  if (BREAKS.test(text)) throw new SubstitutionFailed(`${piece.path.join(".")} has a line break in it`);
  return text;
};

const fill = (text: string, place: Place, from: Sources): string =>
  parseTemplate(text)
    .map((piece) => fillPiece(piece, place, from))
    .join("");

/**
 * The path with its values as they are, so that a value may hold several segments, as apps of the field count on.
 * @assumed What a path can't hold is percent-encoded; a value may not climb by `..`.
 */
const fillPath = (text: string, from: Sources): string => {
  // A half of a surrogate pair has no place in UTF-8.
  const filled = Buffer.from(fill(text, "path", from)).toString();
  const path = filled.replace(/[^\x21-\x7e]|[#\\"<>^`{|}]/gu, encodeURIComponent);
  const [bare = ""] = path.split("?");
  if (bare.split("/").some((segment) => /^(?:\.|%2e){1,2}$/i.test(segment)))
    throw new SubstitutionFailed("the path climbs");
  return path;
};

/** A parameter whose only text is a value that is absent is left out. */
const fillQuery = (name: string, text: string, from: Sources): [string, string][] => {
  const [piece, ...rest] = parseTemplate(text);
  const isOptional = piece?.kind === "value" && piece.path[0] === "context" && rest.length === 0;
  if (isOptional && lookUp(piece.path, "query", from) === undefined) return [];
  return [[name, fill(text, "query", from)]];
};

/**
 * Fills a template in. The only place where a secure value joins a request: in its headers.
 * @errors SubstitutionFailed, TemplateError
 */
export const substitute = ({ schema }: RequestTemplate, from: Sources): Filled => ({
  method: schema.method,
  host: fill(schema.host, "host", from),
  path: fillPath(schema.path ?? "/", from),
  headers: Object.fromEntries(
    Object.entries(schema.headers ?? {}).map(([name, text]) => [name, fill(text, "headers", from)]),
  ),
  query: Object.entries(schema.query ?? {}).flatMap(([name, text]) => fillQuery(name, text, from)),
});
