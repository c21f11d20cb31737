import type { Agent } from "@parley/contract";

/** Members whose new value an entry contains, since they decide the rights of the agent. Of other members an entry contains the names only. */
const ACCESS_MEMBERS: readonly string[] = ["role_id", "scope", "groups", "is_deactivated"] satisfies (keyof Agent)[];

/** Details of a change for the audit log; undefined if nothing changed. */
export const agentChangeDetails = (before: Agent, after: Agent): Readonly<Record<string, unknown>> | undefined => {
  const [earlier, later]: Record<string, unknown>[] = [{ ...before }, { ...after }];
  const members = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (name) => JSON.stringify(earlier?.[name]) !== JSON.stringify(later?.[name]),
  );
  if (members.length === 0) return undefined;
  const access = Object.entries(after).filter(([name]) => members.includes(name) && ACCESS_MEMBERS.includes(name));
  return { email: after.email, members, ...Object.fromEntries(access) };
};
