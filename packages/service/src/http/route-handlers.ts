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

/** The account that a token belongs to, as the edge knows it. */
export interface CallerAccount {
  readonly id: number;
  readonly name: string;
  readonly configuration: AccountConfiguration;
  readonly plan_type: PlanType;
  readonly primary_locale: string;
  /** null: by plan. */
  readonly calls_per_hour: number | null;
}

/** Who calls: named by the token. */
export interface ApiCaller {
  readonly account: CallerAccount;
  readonly tokenId: string;
  readonly permissions: ReadonlySet<Permission>;
}

/** What the edge adds to an endpoint's input. `query` is as it was sent, for links that repeat it. */
export interface HandlerContext {
  readonly caller: ApiCaller;
  /** Of a request with a key: the answer is to be kept with what it tells of. */
  readonly claim?: IdempotencyRecord | undefined;
  readonly request: {
    readonly path: string;
    /** What addresses in the reply begin with: `/v2`, or the suite account's own base path where that was asked for. */
    readonly basePath: string;
    readonly query: Readonly<Record<string, string>>;
    /** Beginning of absolute addresses of this service, such as `http://127.0.0.1:10002`. */
    readonly origin: string;
    readonly header: (name: string) => string | undefined;
  };
}

/** A reply that was made into JSON text before, by the same schema: the hot paths' way past a second serialization. */
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
  /** Operations whose change sees by itself whether an answer is kept under a key. */
  readonly seesKept?: readonly string[];
}

/** Joins a contract table to its handlers: leaving one out does not compile. The rows' types are erased here and nowhere else. */
export const defineRoutes = <const R extends Resource>(
  resource: R,
  handlers: RouteHandlers<R>,
  more: { readonly seesKept?: readonly (keyof R & string)[] } = {},
): ResourceRoutes => ({ resource, handlers, ...more });
