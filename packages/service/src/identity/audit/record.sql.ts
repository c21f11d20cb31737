import { createHash } from "node:crypto";
import type { AuditAction } from "@parley/contract";
import { statement, type Transaction } from "@parley/database";
import type { Ports } from "../../base/environment/ports.ts";
import type { RequestActor } from "../../http/route-handlers.ts";

/** Actor of a change, as an entry records it. */
export interface AuditActor extends Partial<Pick<RequestActor, "id" | "name" | "address">> {
  readonly type: RequestActor["type"] | "platform" | "system";
}

/** Parley itself, in its own process. */
export const SYSTEM_ACTOR: AuditActor = { type: "system" };
/** A command on the machine of the service, which opens the database itself. */
export const COMMAND_ACTOR: AuditActor = { type: "operator" };

export interface AuditedAccount {
  readonly id: number;
  readonly name: string;
}

/** A change to be recorded. */
export interface AuditRecord {
  readonly actor: AuditActor;
  readonly action: AuditAction;
  /** Absent: a change of the whole installation. */
  readonly account?: AuditedAccount;
  /** Id or name of the changed object. */
  readonly subject?: string;
  /** Details of the change: names of members and objects. Never a secret or the data of a customer. */
  readonly details?: Readonly<Record<string, unknown>>;
  /** The id of the reporter's own record of the change: of several records of an account with one id the first is an entry. */
  readonly reportId?: string;
}

/** Records a change in the transaction that makes it, so that neither exists without the other. */
export type RecordAudit = (tx: Transaction, record: AuditRecord) => Promise<void>;

const INSERT = statement(
  "insert_audit_entry",
  `insert into audit_log (id, time, account_id, account, actor_type, actor_id, actor_name, address, action, subject, details)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
   on conflict (id) do nothing`,
);

/** The id of the entry of a reported change: the same for each report with the same id, and another id on another account. */
const entryIdOf = (reportId: string, account: AuditedAccount | undefined): string =>
  createHash("sha256")
    .update(`${account?.id ?? ""} ${reportId}`)
    .digest("hex")
    .slice(0, 32);

export const createRecordAudit =
  ({ now, newId }: Pick<Ports, "now" | "newId">): RecordAudit =>
  async (tx, { actor, action, account, subject, details = {}, reportId }) => {
    await tx.rows(INSERT, [
      reportId === undefined ? newId() : entryIdOf(reportId, account),
      now(),
      account?.id ?? null,
      account?.name ?? null,
      actor.type,
      actor.id ?? null,
      actor.name ?? null,
      actor.address ?? null,
      action,
      subject ?? null,
      JSON.stringify(details),
    ]);
  };
