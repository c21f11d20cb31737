import type { Db } from "@parley/database";

/** The record of an export that contains a table's rows. */
type ExportRecord = "account" | "agent" | "user" | "conversation" | "message" | "csat" | "upload";

interface TableRule {
  /** The only folder whose SQL writes the table; another one only where a statement must check both at once, or seals secrets with another key. */
  readonly owners: readonly [folder: string, ...others: string[]];
  /**
   * What the deletion of a user does with the user's personal data in the table: overwrites it, or deletes the rows. `none`: the table
   * never contains any.
   */
  readonly erasure: "none" | "overwritten" | "deleted";
  /** The record of `GET /admin/export` and of the import that contains the rows. `null`: the rows are part of a backup only. */
  readonly record: ExportRecord | null;
}

const row = (
  owners: TableRule["owners"][number] | TableRule["owners"],
  erasure: TableRule["erasure"] = "none",
  record: TableRule["record"] = null,
): TableRule => ({ owners: typeof owners === "string" ? [owners] : owners, erasure, record });

/**
 * Every table of the service with its owner, and what erasure and export do with it. Tests compare the rows with the catalogue of a
 * migrated database, with the SQL of the folders, and with what remains of a deleted user. The deletion of a closed account, in
 * `account-lifecycle/deletion.sql.ts`, deletes from all of them.
 */
export const TABLES: Readonly<Record<string, TableRule>> = {
  accounts: row(["setup", "account-lifecycle"], "none", "account"),
  agent_activity: row("agents"),
  agent_credentials: row(["identity", "secrets"]),
  agent_sessions: row("identity"),
  agent_statuses: row("setup", "none", "account"),
  agents: row("agents", "none", "agent"),
  allowances: row("allowance"),
  assignments: row("analytics"),
  audit_log: row("audit"),
  business_hours: row("setup", "none", "account"),
  channels: row("setup", "none", "account"),
  conversation_drafts: row("drafts", "deleted"),
  conversation_revisions: row("conversations", "overwritten"),
  conversations: row("conversations", "overwritten", "conversation"),
  csat: row("csat", "overwritten", "csat"),
  cursors: row("dispatch"),
  deliveries: row("dispatch", "overwritten"),
  directory_revisions: row("dispatch"),
  // Written by processes of the previous release only; a trigger copies it to `conversation_drafts`.
  drafts: row("drafts", "deleted"),
  due_work: row("jobs"),
  fields: row("setup", "none", "account"),
  groups: row("setup", "none", "account"),
  idempotency_keys: row("idempotency", "overwritten"),
  identity_providers: row(["identity", "secrets"]),
  identity_subjects: row("identity"),
  inbox_backfill: row("inbox"),
  inbox_changes: row("inbox"),
  inbox_counts: row("inbox"),
  inbox_entries: row("inbox"),
  // Hashes of values. Those of a deleted user's removed values are deleted by the projection.
  inbox_properties: row("inbox"),
  interactions: row("analytics"),
  messages: row("conversations", "overwritten", "message"),
  metric_hours: row("analytics"),
  // Written by the database package.
  migrations: row("db"),
  open_interactions: row("analytics"),
  outbound_messages: row("outbound", "overwritten"),
  outbound_requests: row("outbound", "overwritten"),
  // Retention removes what every subscription has received, in the statement that checks that.
  outbox: row(["log", "dispatch"], "overwritten"),
  page_tickets: row("identity"),
  projection_cursors: row("log"),
  read_marks: row("inbox"),
  reply_templates: row("reply-templates"),
  report_links: row("reports"),
  reports: row("reports"),
  responses: row("analytics"),
  roles: row("setup", "none", "account"),
  saved_views: row("saved-views"),
  routing_reasons: row("routing"),
  routing_turns: row("routing"),
  search_backfill: row("search"),
  search_blocks: row("search", "deleted"),
  search_chunks: row("search"),
  search_queue: row(["search-queue", "search"]),
  search_recent: row("search", "deleted"),
  sign_in_attempts: row("identity"),
  sign_in_links: row("identity"),
  signing_keys: row("objects"),
  subscriptions: row(["dispatch", "secrets"]),
  template_failures: row("outbound"),
  templates: row("outbound", "none", "account"),
  tokens: row("identity"),
  uploads: row("uploads", "deleted", "upload"),
  user_rank_changes: row("users"),
  user_ranks: row("users"),
  user_revisions: row("users", "deleted"),
  users: row("users", "overwritten", "user"),
  webhook_keys: row(["webhooks", "secrets"]),
};

/** Erases personal data of a module in the transaction that deletes a user. */
export interface PersonalDataEraser {
  /** @shape bodies: the user's JSON texts, of all revisions */
  readonly user?: (tx: Db, accountId: number, bodies: readonly string[]) => Promise<void>;
  /** Called for each batch before it is blanked. @shape bodies: JSON texts of all messages in the user's conversations */
  readonly messages?: (tx: Db, accountId: number, bodies: readonly string[]) => Promise<void>;
}
