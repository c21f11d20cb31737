import type { AppliedDocument } from "@parley/contract";
import type { Transaction } from "@parley/database";
import type { AuditActor, RecordAudit } from "../../../identity/audit/record.sql.ts";

/** The actor who applies a document, and how it is recorded. */
export interface ApplicationAudit {
  readonly actor: AuditActor;
  readonly recordAudit: RecordAudit;
}

/** Changes that an entry of the audit log names. It has the number of the others. */
const NAMED_CHANGES_MAX = 500;

/** Names of changed objects and members, by section. */
const detailsOf = (changes: AppliedDocument["changes"]) => ({
  changes: changes
    .slice(0, NAMED_CHANGES_MAX)
    .map(({ change, section, name, members }) => ({ change, section, name, ...(members.length > 0 && { members }) })),
  ...(changes.length > NAMED_CHANGES_MAX && { further_changes: changes.length - NAMED_CHANGES_MAX }),
});

/** Records in the audit log that a document was applied to an account, unless it changed nothing. */
export const recordAppliedDocument = async (
  tx: Transaction,
  { actor, recordAudit }: ApplicationAudit,
  { id, account, created, changes }: Pick<AppliedDocument, "account" | "created" | "changes"> & { readonly id: number },
): Promise<void> => {
  if (!created && changes.length === 0) return;
  await recordAudit(tx, {
    actor,
    action: created ? "account.create" : "account.change",
    account: { id, name: account },
    subject: account,
    details: detailsOf(changes),
  });
};
