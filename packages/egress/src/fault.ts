/** What goes wrong with one attempt, by somebody's wish. @units ms: milliseconds */
export type OutgoingFault =
  | { readonly kind: "latency"; readonly ms: number }
  /** An answer in the receiver's place: nothing is sent. */
  | { readonly kind: "status"; readonly status: number; readonly body?: string | undefined }
  /** The connection is lost before the request is sent, or after the receiver has taken it, with its answer. */
  | { readonly kind: "drop"; readonly when: "before" | "after" };

/** Asked before every attempt. @shape host: with its port, where one is named; path: without the query */
export type Faults = (request: {
  readonly method: string;
  readonly host: string;
  readonly path: string;
}) => OutgoingFault | undefined;
