/** What a worker is told; a connection comes with its number. */
export type MessageToWorker = { readonly say: "connection"; readonly id: number } | { readonly say: "stop" };

/** What a worker says. */
export type MessageFromWorker =
  /** It takes connections. */
  | { readonly say: "ready" }
  /** It can't begin; `isTelling`: the text says what to do. */
  | { readonly say: "failed"; readonly text: string; readonly isTelling: boolean }
  /** The connection of this number is its own now. */
  | { readonly say: "took"; readonly id: number }
  /** One of its connections ended. */
  | { readonly say: "left" }
  /** It wants no more connections: it was told to end by somebody else. */
  | { readonly say: "leaving" };
