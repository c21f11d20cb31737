import type { Static, TSchema } from "typebox";
import type { Permission } from "./permissions.ts";
import type { Problem } from "./problem.ts";

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** Names of the `{holes}` in a path. */
export type Holes<P extends string> = P extends `${string}{${infer Hole}}${infer Rest}` ? Hole | Holes<Rest> : never;

/** Which part of the form is taken, and how large it may be. */
export interface UploadRule {
  readonly part: string;
  readonly bytes: number;
}

/** One uploaded file. Its name and type are what the sender says of it: nothing may rest on them. */
export interface Upload {
  readonly name: string;
  readonly content_type: string;
  readonly content: AsyncIterable<Uint8Array>;
}

/** A row of the contract: from it come the types of handler and client, the checks, the reply filter and the OpenAPI document. */
export interface Endpoint {
  readonly route: `${Method} /${string}`;
  readonly summary: string;
  /** Section of the specification. */
  readonly spec: string;
  /** What the token must be allowed to do; null: any valid token. */
  readonly permission: Permission | null;
  readonly query?: TSchema;
  readonly body?: TSchema;
  /** That of the body where it is not JSON: of lines the body is one line. */
  readonly bodyType?: "application/x-ndjson";
  /** In place of a body: one part of a multipart form. */
  readonly upload?: UploadRule;
  /** `type`: that of the body where it is not JSON; of an event stream the body is one event's data, of lines it is one line. */
  readonly reply: {
    readonly code: number;
    readonly body: TSchema;
    readonly type?: "text/event-stream" | "application/x-ndjson";
  };
  /** It makes something, and takes a key by which a request that is sent again is known. */
  readonly keyed?: true;
  /** A refusal here is of a message that can't be added: it says so, with its category. @spec Errors */
  readonly addsMessages?: true;
  /**
   * A refusal here also says `success: false`, `error_code` and `error_message`.
   * @assumed As public clients of outbound messages read it.
   */
  readonly tellsSuccess?: true;
  /** Besides those that every endpoint can answer with. */
  readonly problems?: readonly Problem[];
}

/** Identity function: it exists so that literal types survive. */
export const endpoint = <const E extends Endpoint>(row: E): E => row;

/** Endpoints of one resource, by operation name. */
export type Resource = Readonly<Record<string, Endpoint>>;

type PathOf<E extends Endpoint> = [Holes<E["route"]>] extends [never]
  ? unknown
  : { readonly params: Readonly<Record<Holes<E["route"]>, string>> };
type QueryOf<E extends Endpoint> = E extends { readonly query: infer Q extends TSchema }
  ? { readonly query: Static<Q> }
  : unknown;
type BodyOf<E extends Endpoint> = E extends { readonly body: infer B extends TSchema }
  ? { readonly body: Static<B> }
  : unknown;
type UploadOf<E extends Endpoint> = E extends { readonly upload: UploadRule } ? { readonly upload: Upload } : unknown;

/** What a handler gets of the request, and a client gives. */
export type InputOf<E extends Endpoint> = PathOf<E> & QueryOf<E> & BodyOf<E> & UploadOf<E>;

/** What a handler answers with, and a client gets. */
export type ReplyOf<E extends Endpoint> = Static<E["reply"]["body"]>;

/** -> `{ method: "GET", path: "/users/{user_id}" }` */
export const routeOf = (row: Endpoint): { method: Method; path: string } => {
  const space = row.route.indexOf(" ");
  return { method: row.route.slice(0, space) as Method, path: row.route.slice(space + 1) };
};
