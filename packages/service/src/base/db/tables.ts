import type { Db } from "@parley/database";

/** The record of an export that contains a table's rows. */
type ExportRecord = "account" | "agent" | "user" | "conversation" | "message" | "csat" | "upload";

interface TableRule {
  /**
   * The only folder below `src` whose SQL writes the table. Another folder writes it only where a statement must check both at once, or
   * seals secrets with another key.
   */
  readonly owners: readonly [folder: string, ...others: string[]];
  /**
   * Effect of the deletion of a user on the user's personal data in the table: overwriting, or deletion of the rows. `none`: the table
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
 * migrated database, with the SQL of the folders, and with the remaining data of a deleted user. The deletion of a closed account, in
 * `operations/administration/lifecycle/deletion.sql.ts`, deletes from all of them.
 */
export const TABLES: Readonly<Record<string, TableRule>> = {
  accounts: row(["operations/administration/document", "operations/administration/lifecycle"], "none", "account"),
  agent_activity: row("identity/agents"),
  agent_credentials: row(["identity/authentication", "operations/secrets"]),
  agent_sessions: row("identity/authentication"),
  agent_statuses: row("operations/administration/document", "none", "account"),
  agents: row("identity/agents", "none", "agent"),
  allowances: row("identity/allowance"),
  assignments: row("console/reporting/measures"),
  audit_log: row("identity/audit"),
  // Ids only, like the tables of visitors. The deletion of the user deletes their rows.
  blocked_users: row("console/customers"),
  business_hours: row("operations/administration/document", "none", "account"),
  channels: row("operations/administration/document", "none", "account"),
  conversation_drafts: row("console/drafts", "deleted"),
  conversation_reads: row("events/presence"),
  conversation_revisions: row("messaging/conversations", "overwritten"),
  conversations: row("messaging/conversations", "overwritten", "conversation"),
  csat: row("messaging/csat", "overwritten", "csat"),
  cursors: row("events/dispatch"),
  deliveries: row("events/dispatch", "overwritten"),
  directory_revisions: row("events/dispatch"),
  // Written by processes of the previous release only; a trigger copies it to `conversation_drafts`.
  drafts: row("console/drafts", "deleted"),
  due_work: row("base/jobs"),
  fields: row("operations/administration/document", "none", "account"),
  groups: row("operations/administration/document", "none", "account"),
  idempotency_keys: row("http/idempotency", "overwritten"),
  identity_providers: row(["identity/authentication", "operations/secrets"]),
  identity_subjects: row("identity/authentication"),
  inbox_backfill: row("console/inbox"),
  inbox_changes: row("console/inbox"),
  inbox_counts: row("console/inbox"),
  inbox_entries: row("console/inbox"),
  // Hashes of values. Those of a deleted user's removed values are deleted by the projection.
  inbox_properties: row("console/inbox"),
  interactions: row("console/reporting/measures"),
  messages: row("messaging/conversations", "overwritten", "message"),
  messenger_aliases: row("operations/administration/document", "none", "account"),
  messenger_settings: row("operations/administration/document", "none", "account"),
  messenger_signing_keys: row(["identity/authentication", "operations/secrets"]),
  metric_hours: row("console/reporting/measures"),
  // Written by the database package.
  migrations: row("base/db"),
  open_interactions: row("console/reporting/measures"),
  outbound_messages: row("messaging/outbound", "overwritten"),
  outbound_requests: row("messaging/outbound", "overwritten"),
  // Retention removes what every subscription has received, in the statement that checks that.
  outbox: row(["base/log", "events/dispatch"], "overwritten"),
  page_tickets: row("identity/authentication"),
  projection_cursors: row("base/log"),
  read_marks: row("console/inbox"),
  reply_templates: row("console/reply-templates"),
  report_links: row("console/reporting/reports"),
  reports: row("console/reporting/reports"),
  responses: row("console/reporting/measures"),
  roles: row("operations/administration/document", "none", "account"),
  saved_views: row("console/saved-views"),
  routing_reasons: row("messaging/routing"),
  routing_turns: row("messaging/routing"),
  search_backfill: row("console/search"),
  search_blocks: row("console/search", "deleted"),
  search_chunks: row("console/search"),
  search_queue: row(["messaging/search-queue", "console/search"]),
  search_recent: row("console/search", "deleted"),
  sign_in_attempts: row("identity/authentication"),
  sign_in_links: row("identity/authentication"),
  signed_identity_rules: row("identity/authentication"),
  signing_keys: row("base/objects"),
  subscriptions: row(["events/dispatch", "operations/secrets"]),
  template_failures: row("messaging/outbound"),
  templates: row("messaging/outbound", "none", "account"),
  tokens: row("identity/authentication"),
  uploads: row("messaging/uploads", "deleted", "upload"),
  user_rank_changes: row("messaging/users"),
  user_ranks: row("messaging/users"),
  user_revisions: row("messaging/users", "deleted"),
  users: row("messaging/users", "overwritten", "user"),
  visitor_pages: row("messaging/visitor-pages", "deleted"),
  visitor_sessions: row("identity/authentication"),
  visitor_uploads: row("messenger/uploads"),
  visitors: row("messenger/visitors"),
  webhook_keys: row(["events/webhooks", "operations/secrets"]),
};

/** Erases personal data of a module in the transaction that deletes a user. */
export interface PersonalDataEraser {
  /** @shape bodies: the user's JSON texts, of all revisions */
  readonly user?: (tx: Db, accountId: number, bodies: readonly string[], userId: string) => Promise<void>;
  /** Called for each batch before it is blanked. @shape bodies: JSON texts of all messages in the user's conversations */
  readonly messages?: (tx: Db, accountId: number, bodies: readonly string[]) => Promise<void>;
}
