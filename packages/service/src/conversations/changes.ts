import type { Changes } from "@parley/contract";
import type { State } from "./transitions.ts";

const TOLD = ["status", "assigned_agent_id", "assigned_group_id"] as const;

/** What an event says of the way from one state to the next, as JSON text; null where there is nothing to tell. */
export const changesText = (before: State, after: State): string | null => {
  const changed = TOLD.filter((name) => before[name] !== after[name]);
  if (changed.length === 0) return null;
  const model_changes: Changes["model_changes"] = Object.fromEntries(
    changed.map((name) => [name, [before[name], after[name]] as const]),
  );
  return JSON.stringify({ model_changes } satisfies Changes);
};
