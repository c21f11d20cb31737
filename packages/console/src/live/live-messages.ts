import type { ConsoleStreamItem, Presence } from "@parley/contract";

/** An item of the stream. `id` is the cursor after it, from which a stream continues. */
export type LiveItem = ConsoleStreamItem & { readonly id: string };

/**
 * State of the connection:
 * connecting → open → waiting → open; `waiting`: the connection was lost, and is tried again.
 */
export type ConnectionState = "connecting" | "open" | "waiting";

/** What a tab tells a new one. */
export interface LiveState {
  readonly connection: ConnectionState;
  readonly streamId: string | undefined;
  readonly presences: ReadonlyMap<string, readonly Presence[]>;
}

/**
 * What tabs of one browser send each other. The tab that holds the lock has the stream; it sends all but `join`. `begin`: the stream does not
 * continue an earlier one, so what was read before may be out of date.
 */
export type TabMessage =
  | { readonly kind: "items"; readonly items: readonly LiveItem[] }
  | { readonly kind: "state"; readonly state: LiveState }
  | { readonly kind: "begin" }
  | { readonly kind: "join" };
