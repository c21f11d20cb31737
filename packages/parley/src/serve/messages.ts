/** Messages to a worker; the socket of a connection is sent along with its id. */
export type MessageToWorker = { readonly say: "connection"; readonly id: number } | { readonly say: "stop" };

/** Messages from a worker. */
export type MessageFromWorker =
  /** The worker accepts connections. */
  | { readonly say: "ready" }
  /** The worker failed to start; `isTelling`: the text is a message for the user. */
  | { readonly say: "failed"; readonly text: string; readonly isTelling: boolean }
  /** The worker acknowledges the connection of this id. */
  | { readonly say: "took"; readonly id: number }
  /** One of the worker's connections closed. */
  | { readonly say: "left" }
  /** The worker was asked to stop by another process and accepts no more connections. */
  | { readonly say: "leaving" };
