import type { TSchema } from "typebox";
import {
  IDEMPOTENCY_RETENTION_HOURS,
  IDEMPOTENCY_KEY,
  IDEMPOTENCY_REPLAYED,
  IdempotencyKey,
} from "./api/idempotency.ts";
import { RESOURCE_DESCRIPTIONS, rowsOf } from "./api/index.ts";
import { problemsOf } from "./api/problems.ts";
import { LAST_EVENT_ID } from "./api/stream.ts";
import { SESSION_TOKEN, type Access, type Reach } from "./kernel/access.ts";
import { routeOf, type Endpoint, type UploadRule } from "./kernel/endpoint.ts";
import type { Problem } from "./kernel/problem.ts";

type Json = Record<string, unknown>;

/** Moves titled and recursive schemas into `components.schemas`, so that each appears once in the document. */
const hoister = (schemas: Json) => {
  const visit = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(visit);
    if (typeof value !== "object" || value === null) return value;
    const { $defs, $id: _, ...rest } = value as Json;
    for (const [name, definition] of Object.entries(($defs as Json | undefined) ?? {})) {
      if (name in schemas) continue;
      schemas[name] = {};
      schemas[name] = visit(definition);
    }
    const copy: Json = Object.fromEntries(Object.entries(rest).map(([key, member]) => [key, visit(member)]));
    if (Array.isArray(copy["enum"])) copy["type"] ??= "string";
    if (typeof copy["$ref"] === "string" && !copy["$ref"].startsWith("#"))
      return { $ref: `#/components/schemas/${copy["$ref"]}` };
    if (typeof copy["title"] === "string" && copy["type"] === "object") {
      schemas[copy["title"]] ??= copy;
      return { $ref: `#/components/schemas/${copy["title"]}` };
    }
    return copy;
  };
  return visit;
};

const ERROR_CONTENT = {
  "application/json": { schema: { $ref: "#/components/schemas/Error" } },
  "application/problem+json": { schema: { $ref: "#/components/schemas/Problem" } },
};

const REPORTED_SUCCESS = {
  type: "boolean",
  description: "false: in errors of outbound messages, together with error_code and error_message.",
};

/** Bodies of error responses: the service's own format and that of RFC 9457. @spec Errors */
const ERROR_SCHEMAS = {
  Error: {
    type: "object",
    required: ["code", "status", "message"],
    properties: {
      code: { type: "integer" },
      status: { type: "string" },
      message: { type: "string" },
      error_code: { type: "integer" },
      error_message: { type: "string" },
      error_category: { type: "string" },
      success: REPORTED_SUCCESS,
    },
  },
  Problem: {
    type: "object",
    description: "RFC 9457, where the Accept header names application/problem+json.",
    required: ["type", "title", "status", "detail", "code", "message"],
    properties: {
      type: { type: "string", description: "URL of the token's section in the reference." },
      title: { type: "string" },
      status: { type: "integer" },
      detail: { type: "string" },
      code: { type: "string", description: "The token that the default format has in `status`." },
      message: { type: "string" },
      error_code: { type: "integer" },
      error_message: { type: "string" },
      error_category: { type: "string" },
      success: REPORTED_SUCCESS,
    },
  },
};

/** Problems with the same code share one response, which lists all their tokens. */
const responsesOf = (problems: readonly Problem[]) => {
  const byCode = new Map<number, Problem[]>();
  for (const row of new Set(problems)) byCode.set(row.code, [...(byCode.get(row.code) ?? []), row]);
  return [...byCode].map(([code, rows]): [string, Json] => [
    String(code),
    {
      description: rows.map(({ status, message }) => `\`${status}\`: ${message}`).join("\n\n"),
      content: ERROR_CONTENT,
      "x-status-tokens": rows.map(({ status }) => status),
    },
  ]);
};

const KEY_PARAMETER = {
  name: IDEMPOTENCY_KEY,
  in: "header",
  required: false,
  description: `Identifies the request, for example a UUID: a repetition within ${IDEMPOTENCY_RETENTION_HOURS} hours gets the recorded response, and nothing is created twice.`,
  schema: IdempotencyKey,
};
const REPLAYED_HEADER = {
  [IDEMPOTENCY_REPLAYED]: {
    description: "Present if this is the recorded response of an earlier request with the same key.",
    schema: { type: "string", enum: ["true"] },
  },
};

const isEmpty = (schema: TSchema) => (schema as { type?: string }).type === "void";

/** The position at which an event stream continues. */
const LAST_EVENT_PARAMETER = {
  name: LAST_EVENT_ID,
  in: "header",
  required: false,
  description: "The id of the last received event; new events only when absent.",
  schema: { type: "string" },
};

const parametersOf = (row: Endpoint, visit: (schema: unknown) => unknown) => {
  const pathParameters = [...routeOf(row).path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: "path",
    required: true,
    schema: { type: "string" },
  }));
  const query: { properties?: Record<string, Json>; required?: readonly string[] } | undefined = row.query;
  const queries = Object.entries(query?.properties ?? {}).map(([name, schema]) => ({
    name,
    in: "query",
    required: query?.required?.includes(name) ?? false,
    ...(schema["description"] ? { description: schema["description"] } : {}),
    schema: visit(schema),
  }));
  const headers = [
    ...(row.acceptsIdempotencyKey ? [KEY_PARAMETER] : []),
    ...(row.reply.type === "text/event-stream" ? [LAST_EVENT_PARAMETER] : []),
  ];
  return [...pathParameters, ...queries, ...headers];
};

const formOf = ({ part, bytes }: UploadRule) => ({
  type: "object",
  required: [part],
  properties: { [part]: { type: "string", format: "binary", description: `At most ${bytes} bytes.` } },
});

/** Alternatives of credentials, as OpenAPI lists them. */
const securityOf = ({ isPublic, token, session, adminKey }: Access): Json[] => [
  ...(isPublic ? [{}] : []),
  ...(token === undefined ? [] : [{ token: [] }]),
  ...(session ? [{ sessionCookie: [], sessionToken: [] }] : []),
  ...(adminKey ? [{ adminKey: [] }] : []),
];

const SECURITY_SCHEMES = {
  token: { type: "http", scheme: "bearer", description: "An API token." },
  sessionCookie: {
    type: "apiKey",
    in: "cookie",
    name: "parley_session",
    description: "The cookie of an agent's session; outside of this machine its name begins with __Host-.",
  },
  sessionToken: { type: "apiKey", in: "header", name: SESSION_TOKEN, description: "The token of the same session." },
  adminKey: { type: "http", scheme: "bearer", description: "The admin key of the installation." },
};

/** Requirements for a session's scope, as words that follow "a session of an agent with at least the role …". */
const REACH_WORDS: Readonly<Record<Reach, string>> = {
  account: "",
  some: " and a scope other than None",
  conversation: ", whose scope contains the conversation",
  user: ", whose scope contains the user",
  all: " and the scope Global",
  ownAgent: " for its own agent, or at least the role ADMIN for others",
};

/** Text of an operation: the credentials that it accepts, and whether it can be repeated. */
const descriptionOf = ({ access, acceptsIdempotencyKey, spec }: Endpoint): string => {
  const { isPublic, token, session, adminKey } = access;
  const credentials = [
    ...(token === undefined
      ? []
      : [token === null ? "any API token" : `an API token with the permission \`${token}\``]),
    ...(session ? [`a session of an agent with at least the role ${session.role}${REACH_WORDS[session.reach]}`] : []),
    ...(adminKey ? ["the admin key of the installation"] : []),
  ];
  return [
    isPublic ? "Needs no credential." : `Needs ${credentials.join(", or ")}.`,
    ...(acceptsIdempotencyKey ? [`Can be repeated safely with an \`${IDEMPOTENCY_KEY}\`.`] : []),
    `Section of the specification: ${spec}.`,
  ].join(" ");
};

const DESCRIPTIONS: Readonly<Record<string, string>> = {
  ...RESOURCE_DESCRIPTIONS,
  admin: "Administration of the accounts of the installation.",
  transfer: "Export and import of an account's data.",
  signIn: "Sign-in of agents.",
  sessions: "Sessions, password and second factor of the signed-in agent.",
  world: "The test environment: reset, snapshots, seeds, faults and the clock.",
};

const operationOf = (operation: string, resource: string, row: Endpoint, visit: (schema: unknown) => unknown) => ({
  operationId: operation,
  tags: [resource],
  summary: row.summary,
  description: descriptionOf(row),
  "x-spec": row.spec,
  ...(row.access.token ? { "x-permission": row.access.token } : {}),
  ...(row.access.session ? { "x-session": row.access.session } : {}),
  security: securityOf(row.access),
  parameters: parametersOf(row, visit),
  ...(row.body
    ? {
        requestBody: { required: true, content: { [row.bodyType ?? "application/json"]: { schema: visit(row.body) } } },
      }
    : row.upload
      ? { requestBody: { required: true, content: { "multipart/form-data": { schema: formOf(row.upload) } } } }
      : {}),
  responses: {
    [row.reply.code]: {
      description: row.summary,
      ...(row.acceptsIdempotencyKey ? { headers: REPLAYED_HEADER } : {}),
      ...(isEmpty(row.reply.body)
        ? {}
        : { content: { [row.reply.type ?? "application/json"]: { schema: visit(row.reply.body) } } }),
    },
    ...Object.fromEntries(responsesOf(problemsOf(row))),
  },
});

/**
 * Builds the OpenAPI 3.1 document of the contract.
 * @shape server: base URL of the API with its version segment; table: endpoints, by default those of the API
 */
export function openapi(server = "/v2", table?: Parameters<typeof rowsOf>[0], title = "Parley API"): Json {
  const schemas: Json = { ...ERROR_SCHEMAS };
  const visit = hoister(schemas);
  const paths: Record<string, Json> = {};
  const rows = rowsOf(table);
  for (const { resource, operation, row } of rows) {
    const { method, path } = routeOf(row);
    (paths[path] ??= {})[method.toLowerCase()] = operationOf(operation, resource, row, visit);
  }
  const used = new Set(
    rows.flatMap(({ row }) => securityOf(row.access).flatMap((alternative) => Object.keys(alternative))),
  );
  return {
    openapi: "3.1.0",
    info: {
      title,
      version: "2",
      description:
        "Each error has a token, which is stable: [all errors, with what to do](/docs/errors). A client branches on the token, not on the text.",
      contact: { name: "The operator of the installation" },
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: server }],
    tags: [...new Set(rows.map(({ resource }) => resource))].map((name) => ({
      name,
      description: DESCRIPTIONS[name] ?? `Endpoints of ${name}.`,
    })),
    paths,
    components: {
      schemas: Object.fromEntries(Object.entries(schemas).sort(([a], [b]) => (a < b ? -1 : 1))),
      securitySchemes: Object.fromEntries(Object.entries(SECURITY_SCHEMES).filter(([name]) => used.has(name))),
    },
  };
}
