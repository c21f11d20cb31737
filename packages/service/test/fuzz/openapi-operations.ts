import { Compile } from "typebox/schema";

export type Json = Readonly<Record<string, unknown>>;

/** One path and method, as the document describes it. */
export interface Operation {
  readonly id: string;
  readonly method: string;
  /** With `{parameters}`. */
  readonly path: string;
  readonly holes: readonly string[];
  readonly query: readonly { readonly name: string; readonly required: boolean; readonly schema: Json }[];
  readonly body: Json | undefined;
  /** Name of the form's part. */
  readonly part: string | undefined;
  /** For each status, whether a body has the documented shape; undefined: no body. */
  readonly responses: ReadonlyMap<number, DocumentedResponse>;
}

interface DocumentedResponse {
  /** Permitted tokens in the body's `status`; empty: any. */
  readonly tokens: readonly string[];
  readonly isValid: ((body: unknown) => boolean) | undefined;
}

const at = (value: unknown, ...path: readonly string[]): unknown =>
  path.reduce<unknown>((part, name) => (part as Json | undefined)?.[name], value);

/** Replaces `#/components/schemas/X` by `#/$defs/X`, so that each schema contains everything that it refers to. */
const standalone = (schema: unknown, definitions: Json): Json => {
  const text = JSON.stringify({ ...(schema as Json), $defs: definitions });
  return JSON.parse(text.replaceAll('"#/components/schemas/', '"#/$defs/')) as Json;
};

const answerOf = (response: Json, definitions: Json): DocumentedResponse => {
  const schema = at(response, "content", "application/json", "schema");
  const validator = schema === undefined ? undefined : Compile(standalone(schema, definitions));
  return {
    tokens: (response["x-status-tokens"] as readonly string[] | undefined) ?? [],
    isValid: validator && ((body) => validator.Check(body)),
  };
};

/** Parses the operations of an OpenAPI document. */
export function operationsOf(document: Json): {
  readonly operations: readonly Operation[];
  readonly definitions: Json;
} {
  const definitions = at(document, "components", "schemas") as Json;
  const operations = Object.entries(document["paths"] as Record<string, Record<string, Json>>).flatMap(
    ([path, methods]) =>
      Object.entries(methods).map(([method, operation]): Operation => {
        const parameters = (operation["parameters"] ?? []) as readonly Json[];
        const content = at(operation, "requestBody", "content") as Json | undefined;
        const form = at(content, "multipart/form-data", "schema", "properties") as Json | undefined;
        return {
          id: String(operation["operationId"]),
          method: method.toUpperCase(),
          path,
          holes: parameters.filter((parameter) => parameter["in"] === "path").map(({ name }) => String(name)),
          query: parameters
            .filter((parameter) => parameter["in"] === "query")
            .map(({ name, required, schema }) => ({
              name: String(name),
              required: required === true,
              schema: schema as Json,
            })),
          body: at(content, "application/json", "schema") as Json | undefined,
          part: form && Object.keys(form)[0],
          responses: new Map(
            Object.entries(operation["responses"] as Record<string, Json>).map(([code, response]) => [
              Number(code),
              answerOf(response, definitions),
            ]),
          ),
        };
      }),
  );
  return { operations, definitions };
}
