import type { Agent } from "@parley/contract";

/** Members whose new value an entry contains: they decide what the agent may do. Of the others it has the names. */
const ACCESS_MEMBERS: readonly string[] = ["role_id", "scope", "groups", "is_deactivated"] satisfies (keyof Agent)[];

/** What the audit log records of a change; undefined if nothing changed. */
export const changeDetails = (before: Agent, after: Agent): Readonly<Record<string, unknown>> | undefined => {
  const [earlier, later]: Record<string, unknown>[] = [{ ...before }, { ...after }];
  const members = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (name) => JSON.stringify(earlier?.[name]) !== JSON.stringify(later?.[name]),
  );
  if (members.length === 0) return undefined;
  const access = Object.entries(after).filter(([name]) => members.includes(name) && ACCESS_MEMBERS.includes(name));
  return { email: after.email, members, ...Object.fromEntries(access) };
};
