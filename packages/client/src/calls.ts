import type { Api, Endpoint, InputOf, ReplyOf, Resource } from "@parley/contract";
import type { StreamCall } from "./stream.ts";
import type { UploadContent } from "./upload.ts";

/** Besides what the endpoint takes. */
export interface CallOptions {
  /** Ends the call, its pauses included. */
  readonly signal?: AbortSignal;
}

/** Of a call that makes something. */
export interface KeyOptions {
  /** Names the call where a later one may be the same, in another process too; each call has one of its own when absent. */
  readonly idempotencyKey?: string;
}

/** Nothing to give: nothing to write. */
type Arguments<I> = unknown extends I
  ? [input?: CallOptions]
  : object extends I
    ? [input?: I & CallOptions]
    : [input: I & CallOptions];
/** An endpoint without mandatory members of its query may be called without any. */
type Lenient<I> = I extends { readonly query: infer Q } & infer R
  ? object extends Q
    ? Omit<R, "query"> & { readonly query?: Q }
    : I
  : I;
/** A caller has a file in more ways than a handler gets it. */
type Sendable<I> = I extends { readonly upload: unknown } ? Omit<I, "upload"> & { readonly upload: UploadContent } : I;
type Named<E extends Endpoint> = E extends { readonly keyed: true } ? KeyOptions : unknown;
type Input<E extends Endpoint> = Arguments<Lenient<Sendable<InputOf<E>>> & Named<E>>;

type ItemOf<R> = { [K in keyof R]-?: R[K] extends readonly (infer I)[] ? I : never }[keyof R];
type IsList<E extends Endpoint> =
  InputOf<E> extends { readonly query: infer Q } ? ("page" extends keyof Q ? true : false) : false;

interface ListCalls<E extends Endpoint> {
  /** One answer after the other, from the page asked for to the last. */
  pages(...input: Input<E>): AsyncIterable<ReplyOf<E>>;
  /** The items of all those pages. */
  items(...input: Input<E>): AsyncIterable<ItemOf<ReplyOf<E>>>;
}

/** One function for an endpoint; lists can be walked besides, and a stream only. */
export type Call<E extends Endpoint> = E extends { readonly reply: { readonly type: "text/event-stream" } }
  ? StreamCall
  : ((...input: Input<E>) => Promise<ReplyOf<E>>) & (IsList<E> extends true ? ListCalls<E> : unknown);
type Calls<R extends Resource> = { readonly [K in keyof R]: Call<R[K]> };
export type ParleyClient = { readonly [K in keyof Api]: Calls<Api[K]> };
