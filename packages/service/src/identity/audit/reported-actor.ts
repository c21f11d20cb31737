import type { Db } from "@parley/database";
import { isUuid } from "../../http/uuid.ts";
import type { AuditActor } from "./record.sql.ts";
import { auditStore } from "./store.ts";

/** The platform itself. @shape address: that of the person for whom it acts */
export const platformActor = (address: string | undefined): AuditActor => ({
  type: "platform",
  ...(address !== undefined && { address }),
});

/**
 * Actor of a change that the platform reports or makes with the admin key: the agent who is signed in to its page, or the platform itself
 * if the account has no such agent.
 */
export const reportedActor = async (
  db: Db,
  accountId: number,
  { agent_id: id, address }: { readonly agent_id?: string; readonly address?: string },
): Promise<AuditActor> => {
  const platform = platformActor(address);
  const email = id !== undefined && isUuid(id) ? await auditStore(db).emailOfAgent(accountId, id) : undefined;
  return id === undefined || email === undefined
    ? platform
    : { ...platform, type: "agent", id: id.toLowerCase(), name: email };
};
