/** A fault to inject into one attempt. @units ms: milliseconds */
export type OutgoingFault =
  | { readonly kind: "latency"; readonly ms: number }
  /** A simulated response; nothing is sent. */
  | { readonly kind: "status"; readonly status: number; readonly body?: string | undefined }
  /** The connection is lost before the request is sent, or after the receiver has processed it, before the response. */
  | { readonly kind: "drop"; readonly when: "before" | "after" };

/** Called before every attempt. @shape host: with its port, if the URL has a port; path: without the query */
export type FaultInjector = (request: {
  readonly method: string;
  readonly host: string;
  readonly path: string;
}) => OutgoingFault | undefined | Promise<OutgoingFault | undefined>;
