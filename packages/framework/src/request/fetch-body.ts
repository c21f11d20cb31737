import type { FetchOptions } from "@parley/contract";
import { plainText, SubstitutionFailed, type Sources } from "./substitute.ts";

/** What a verb sends, and what it says of it. */
export interface FetchBody {
  readonly body?: string;
  /** Absent where the app says it, or nobody does. */
  readonly contentType?: string;
}

const JSON_TYPE = "application/json";
const FORM_TYPE = "application/x-www-form-urlencoded";
const PARAMETER = /<%=\s*iparam\.([\w$-]+)\s*%>/g;

/**
 * Parameters in a body are filled in where it is text.
 * @assumed Nothing else is: a body may hold what a customer wrote, so what only looks like a hole stays as it is.
 * @errors SubstitutionFailed for a secure one
 */
const filledText = (text: string, from: Sources): string =>
  text.replace(PARAMETER, (hole, key: string) => {
    if (Object.hasOwn(from.values, key)) return plainText(from.values[key]) ?? hole;
    if (!Object.hasOwn(from.secrets, key)) return hole;
    throw new SubstitutionFailed(`iparam.${key} is secure: it may stand in headers only`);
  });

const formOf = (body: object): string =>
  new URLSearchParams(
    Object.entries(body).flatMap(([name, value]: [string, unknown]) => {
      const text = plainText(value);
      return text === undefined ? [] : [[name, text]];
    }),
  ).toString();

/** The body that a verb's options describe. @errors SubstitutionFailed */
export const fetchBody = ({ json, body }: FetchOptions, contentType: string, from: Sources): FetchBody => {
  const content = typeof json === "object" ? json : body;
  if (content === undefined || content === null) return {};
  if (typeof content === "string")
    return { body: filledText(content, from), ...(json === true ? { contentType: JSON_TYPE } : {}) };
  if (json === undefined && contentType.startsWith(FORM_TYPE)) return { body: formOf(content) };
  return { body: filledText(JSON.stringify(content), from), contentType: JSON_TYPE };
};
