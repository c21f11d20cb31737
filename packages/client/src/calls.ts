import type { Api, Endpoint, InputOf, ReplyOf, Resource } from "@parley/contract";
import type { StreamCall } from "./stream.ts";
import type { UploadContent } from "./upload.ts";

/** Options of every call. */
export interface CallOptions {
  /** Aborts the call, including its pauses between retries. */
  readonly signal?: AbortSignal;
}

/** Options of a call that creates something. */
export interface KeyOptions {
  /** Identifies the call if another call, possibly in another process, may repeat it. Default: a new key per call. */
  readonly idempotencyKey?: string;
}

/** The argument is optional if the endpoint has no required input. */
type Arguments<I> = unknown extends I
  ? [input?: CallOptions]
  : object extends I
    ? [input?: I & CallOptions]
    : [input: I & CallOptions];
/** `query` is optional if it has no required member. */
type Lenient<I> = I extends { readonly query: infer Q } & (infer R)
  ? object extends Q
    ? Omit<R, "query"> & { readonly query?: Q }
    : I
  : I;
/** A caller can provide a file in more forms than a handler receives. */
type Sendable<I> = I extends { readonly upload: unknown } ? Omit<I, "upload"> & { readonly upload: UploadContent } : I;
type Named<E extends Endpoint> = E extends { readonly acceptsIdempotencyKey: true } ? KeyOptions : unknown;
export type CallInput<E extends Endpoint> = Arguments<Lenient<Sendable<InputOf<E>>> & Named<E>>;

type ItemOf<R> = { [K in keyof R]-?: R[K] extends readonly (infer I)[] ? I : never }[keyof R];
type IsList<E extends Endpoint> =
  InputOf<E> extends { readonly query: infer Q } ? ("page" extends keyof Q ? true : false) : false;

interface ListCalls<E extends Endpoint> {
  /** Iterates over the pages, from the requested one to the last. */
  pages(...input: CallInput<E>): AsyncIterable<ReplyOf<E>>;
  /** Iterates over the items of all these pages. */
  items(...input: CallInput<E>): AsyncIterable<ItemOf<ReplyOf<E>>>;
}

/** Function of an endpoint. Lists also have iterators; a stream is only an iterator. */
export type Call<E extends Endpoint> = E extends { readonly reply: { readonly type: "text/event-stream" } }
  ? StreamCall
  : ((...input: CallInput<E>) => Promise<ReplyOf<E>>) & (IsList<E> extends true ? ListCalls<E> : unknown);
type Calls<R extends Resource> = { readonly [K in keyof R]: Call<R[K]> };
export type ParleyClient = { readonly [K in keyof Api]: Calls<Api[K]> };
