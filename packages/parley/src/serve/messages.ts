/** Messages to a worker; the socket of a connection is sent along with its id. */
export type MessageToWorker = { readonly type: "connection"; readonly id: number } | { readonly type: "stop" };

/** Messages from a worker. */
export type MessageFromWorker =
  /** The worker accepts connections. */
  | { readonly type: "ready" }
  /** The worker failed to start; `isUserError`: the text is a message for the user. */
  | { readonly type: "failed"; readonly text: string; readonly isUserError: boolean }
  /** The worker acknowledges the connection of this id. */
  | { readonly type: "acknowledged"; readonly id: number }
  /** One of the worker's connections closed. */
  | { readonly type: "closed" }
  /** The worker was asked to stop by another process and accepts no more connections. */
  | { readonly type: "draining" };
