import type { Invocation, InvocationKind } from "@parley/contract";

export interface InvocationFilter {
  readonly handler?: string;
  readonly event?: string;
  readonly kind?: InvocationKind;
  /** Only those that failed, or only those that did not. */
  readonly ok?: boolean;
  /** Id of the service's event. */
  readonly source?: string;
  /** Only newer ones than this id. */
  readonly after?: string;
  readonly limit?: number;
}

/** What the handlers of an app did, kept for its author. */
export interface Invocations {
  /** Never throws, never holds up the caller. */
  record(invocation: Invocation): void;
  find(id: string): Promise<Invocation | undefined>;
  /** Newest last. */
  list(filter: InvocationFilter): Promise<readonly Invocation[]>;
  /** Tells of each one as it ends. */
  follow(listener: (invocation: Invocation) => void): () => void;
}
