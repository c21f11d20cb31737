import type {
  AccountConfiguration,
  Endpoint,
  InputOf,
  Permission,
  PlanType,
  ReplyOf,
  Resource,
} from "@parley/contract";
import type { IdempotencyRecord } from "../idempotency/idempotency-record.ts";
import type { StreamedReply } from "./streamed.ts";

/** The account of an access token. */
export interface CallerAccount {
  readonly id: number;
  readonly name: string;
  readonly configuration: AccountConfiguration;
  readonly plan_type: PlanType;
  readonly primary_locale: string;
  /** null: the default of the plan. */
  readonly calls_per_hour: number | null;
}

/** The caller, identified by the access token. */
export interface ApiCaller {
  readonly account: CallerAccount;
  readonly tokenId: string;
  readonly permissions: ReadonlySet<Permission>;
}

/** Context of a request in addition to the endpoint's input. `query` is unparsed, for links that repeat it. */
export interface HandlerContext {
  readonly caller: ApiCaller;
  /** Present if the request has an idempotency key: the handler stores its reply in the transaction of the change. */
  readonly claim?: IdempotencyRecord | undefined;
  readonly request: {
    readonly path: string;
    /** Prefix of addresses in the reply: `/v2`, or the base path of the suite account if the request used it. */
    readonly basePath: string;
    readonly query: Readonly<Record<string, string>>;
    /** Origin of absolute addresses of this service, such as `http://127.0.0.1:10002`. */
    readonly origin: string;
    readonly header: (name: string) => string | undefined;
  };
}

/** A reply that is already serialised by the same schema. It avoids a second serialisation in frequent operations. */
interface RawJson {
  readonly rawJson: string;
}
export const rawJson = (text: string): RawJson => ({ rawJson: text });

export type RouteHandler<E extends Endpoint> = (
  input: InputOf<E> & HandlerContext,
) => Promise<ReplyOf<E> | RawJson | StreamedReply>;
export type RouteHandlers<R extends Resource> = { readonly [K in keyof R]: RouteHandler<R[K]> };

export interface ResourceRoutes {
  readonly resource: Resource;
  readonly handlers: RouteHandlers<Resource>;
  /** Operations whose change itself checks for a reply stored under the key. */
  readonly seesKept?: readonly string[];
}

/** Combines a contract table with its handlers; a missing handler is a type error. The types of the rows are erased here. */
export const defineRoutes = <const R extends Resource>(
  resource: R,
  handlers: RouteHandlers<R>,
  more: { readonly seesKept?: readonly (keyof R & string)[] } = {},
): ResourceRoutes => ({ resource, handlers, ...more });
