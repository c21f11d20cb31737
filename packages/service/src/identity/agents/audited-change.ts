import type { Agent } from "@parley/contract";
import type { Db } from "@parley/database";
import type { AuditActor, AuditedAccount, RecordAudit } from "../audit/record.sql.ts";

/** Members whose new value an entry contains: they decide what the agent may do. Of the others it has the names. */
const ACCESS_MEMBERS: readonly string[] = ["role_id", "scope", "groups", "is_deactivated"] satisfies (keyof Agent)[];

/**
 * Records a change of an agent in the audit log, unless it changed nothing: `compare` in the rule of the change, `record` in its
 * transaction.
 */
export const auditedChange = (
  recordAudit: RecordAudit,
  { actor, account }: { readonly actor: AuditActor; readonly account: AuditedAccount },
) => {
  let members: readonly string[] = [];
  return {
    /** -> the written agent, as the rule returns it */
    compare: <W extends { readonly agent: Agent }>(present: Agent, written: W): W => {
      const [before, after] = [
        { ...present } as Record<string, unknown>,
        { ...written.agent } as Record<string, unknown>,
      ];
      const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
      members = names.filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]));
      return written;
    },
    record: async (tx: Db, { agent }: { readonly agent: Agent }): Promise<void> => {
      if (members.length === 0) return;
      const access = Object.entries(agent).filter(([name]) => members.includes(name) && ACCESS_MEMBERS.includes(name));
      const details = { email: agent.email, members, ...Object.fromEntries(access) };
      await recordAudit(tx, { actor, action: "agent.change", account, subject: agent.id, details });
    },
  };
};
