import type { ConsoleStreamItem, CustomerPresence, Presence } from "@parley/contract";

/** An item of the stream. `id` is the cursor after it, from which a stream continues. */
export type LiveItem = ConsoleStreamItem & { readonly id: string };

/**
 * State of the connection:
 * connecting → open → waiting → open; `waiting`: the connection was lost, and is tried again.
 */
export type ConnectionState = "connecting" | "open" | "waiting";

/** Who is where, by conversation. */
export interface LivePresences {
  readonly presences: ReadonlyMap<string, readonly Presence[]>;
  readonly customers: ReadonlyMap<string, CustomerPresence>;
}

/** Message of a tab to a new tab. */
interface LiveState extends LivePresences {
  readonly connection: ConnectionState;
  readonly streamId: string | undefined;
}

/**
 * Messages among tabs of one browser. The tab that holds the lock has the stream; it sends all but `join`. `begin`: the stream does not
 * continue an earlier stream, so earlier data may be out of date.
 */
export type TabMessage =
  | { readonly kind: "items"; readonly items: readonly LiveItem[] }
  | { readonly kind: "state"; readonly state: LiveState }
  | { readonly kind: "begin" }
  | { readonly kind: "join" };
