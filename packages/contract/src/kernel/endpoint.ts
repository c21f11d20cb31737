import type { Static, TSchema } from "typebox";
import type { Access } from "./access.ts";
import type { Problem } from "./problem.ts";

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** Names of the `{placeholders}` in a path. */
export type PathParameters<P extends string> = P extends `${string}{${infer Name}}${infer Rest}`
  ? Name | PathParameters<Rest>
  : never;

/** The part of the multipart form that holds the file, and the maximum size of the file. */
export interface UploadRule {
  readonly part: string;
  readonly bytes: number;
}

/** An uploaded file. The sender chooses its name and type: neither can be trusted. */
export interface Upload {
  readonly name: string;
  readonly content_type: string;
  readonly content: AsyncIterable<Uint8Array>;
}

/** A row of the contract. The types of handler and client, request validation, response filtering and the OpenAPI document derive from it. */
export interface Endpoint {
  readonly route: `${Method} /${string}`;
  readonly summary: string;
  /** Section of the specification. */
  readonly spec: string;
  /** The credentials that the endpoint accepts. */
  readonly access: Access;
  readonly query?: TSchema;
  readonly body?: TSchema;
  /** Media type of the body if it is not JSON. For x-ndjson, `body` is the schema of one line; a zip has no schema. */
  readonly bodyType?: "application/x-ndjson" | "application/zip";
  /** Replaces `body`: one part of a multipart form. */
  readonly upload?: UploadRule;
  /** `type` is the media type if it is not JSON. For an event stream `body` is the schema of one event's data, for x-ndjson that of one line; a picture has no schema. */
  readonly reply: {
    readonly code: number;
    readonly body: TSchema;
    readonly type?: "text/event-stream" | "application/x-ndjson" | "image/*";
  };
  /** The endpoint creates something and accepts an idempotency key. */
  readonly acceptsIdempotencyKey?: true;
  /** The endpoint adds messages: its error responses have the fields of Problem.category. @spec Errors */
  readonly addsMessages?: true;
  /**
   * Error responses also have `success: false`, `error_code` and `error_message`.
   * @assumed Public clients of outbound messages read these fields.
   */
  readonly reportsSuccess?: true;
  /** Problems in addition to those of every endpoint. */
  readonly problems?: readonly Problem[];
}

/** Identity function that preserves literal types. */
export const endpoint = <const E extends Endpoint>(row: E): E => row;

/** Endpoints of one resource by operation name. */
export type Resource = Readonly<Record<string, Endpoint>>;

type PathOf<E extends Endpoint> = [PathParameters<E["route"]>] extends [never]
  ? unknown
  : { readonly params: Readonly<Record<PathParameters<E["route"]>, string>> };
type QueryOf<E extends Endpoint> = E extends { readonly query: infer Q extends TSchema }
  ? { readonly query: Static<Q> }
  : unknown;
type BodyOf<E extends Endpoint> = E extends { readonly body: infer B extends TSchema }
  ? { readonly body: Static<B> }
  : unknown;
type UploadOf<E extends Endpoint> = E extends { readonly upload: UploadRule } ? { readonly upload: Upload } : unknown;

/** Input of an endpoint: the argument of its handler and of the client's function. */
export type InputOf<E extends Endpoint> = PathOf<E> & QueryOf<E> & BodyOf<E> & UploadOf<E>;

/** Result of an endpoint: the value that its handler returns and the client's function resolves to. */
export type ReplyOf<E extends Endpoint> = Static<E["reply"]["body"]>;

/** -> `{ method: "GET", path: "/users/{user_id}" }` */
export const routeOf = (row: Endpoint): { method: Method; path: string } => {
  const space = row.route.indexOf(" ");
  return { method: row.route.slice(0, space) as Method, path: row.route.slice(space + 1) };
};
