import { PARTITIONS } from "./partition.ts";

/** Who holds what, as one process sees it. */
export interface Holdings {
  /** Processes that share the partitions, this one included. */
  readonly members: number;
  readonly own: readonly number[];
  readonly free: readonly number[];
}

/**
 * What a process does towards its share: it gives back what is above it, or takes of what is free.
 * With every process at or below its share and the shares together at least all partitions, none stays free.
 */
export const share = ({
  members,
  own,
  free,
}: Holdings): { readonly give: readonly number[]; readonly take: readonly number[] } => {
  const fair = Math.ceil(PARTITIONS / Math.max(members, 1));
  return { give: own.slice(fair), take: free.slice(0, Math.max(fair - own.length, 0)) };
};
