import type { AuditEntry } from "@parley/contract";
import { statement, type Pool } from "@parley/database";
import { SERVICE_SCHEMA } from "../../../src/index.ts";
import { sessionHarness, type BrowserSession, type SessionHarness } from "../authentication/session-harness.ts";
import type { ServiceHarnessOptions } from "../../service-harness.ts";

/** The service with signed-in agents of acme, and direct access to the audit log. */
export interface AuditHarness extends SessionHarness {
  readonly pool: Pool;
  readonly owner: SignedIn;
  readonly ownerOfSolo: SignedIn;
  /** An agent with the lowest role. */
  readonly agent: SignedIn;
  /** All entries as they are stored, as texts. */
  storedEntries(): Promise<readonly string[]>;
  /** Runs a request. -> its result, and the entries that it left, oldest first */
  entriesOf<T>(work: () => Promise<T>): Promise<{ readonly result: T; readonly entries: readonly AuditEntry[] }>;
  /** Changes when any table changes that requests change, except the audit log. */
  checksum(): Promise<string>;
  renameLog(to: "hide" | "restore"): Promise<void>;
}

export interface SignedIn {
  readonly id: string;
  readonly email: string;
  readonly session: BrowserSession;
}

const ROWS = statement("", "select audit_log::text as line from audit_log");
const TABLES = statement(
  "",
  `select table_name as name from information_schema.tables
    where table_schema = current_schema() and table_type = 'BASE TABLE' and table_name <> all($1::text[])`,
);
/** Tables that change in the background, or count requests. */
const BACKGROUND_TABLES = [
  ...["audit_log", "hidden_audit_log", "allowances", "cursors", "due_work", "projection_cursors", "sign_in_attempts"],
  ...["inbox_backfill", "inbox_changes", "inbox_counts", "inbox_entries", "inbox_properties"],
  ...["user_ranks", "user_rank_changes", "metric_hours", "open_interactions", "interactions"],
  ...["search_backfill", "search_blocks", "search_chunks", "search_queue", "search_recent"],
];

export async function auditHarness(options: ServiceHarnessOptions = {}): Promise<AuditHarness> {
  const s = await sessionHarness(options);
  const pool = s.database.pool(SERVICE_SCHEMA, { max: 1 });
  const sign = async (role_id: string, account: "acme" | "solo"): Promise<SignedIn> => {
    const email = `${role_id}.auditor@${account}.example`.toLowerCase();
    const client = account === "acme" ? s.client : s.solo;
    const { id } = await client.agents.createAgent({ body: { email, role_id } });
    return { id, email, session: await s.signIn(email, { account }) };
  };
  const owner = await sign("ACCOUNT_ADMIN", "acme");
  const ownerOfSolo = await sign("ACCOUNT_ADMIN", "solo");
  const agent = await sign("AGENT", "acme");
  const list = async () => {
    const { body } = await s.adminRequest<{ entries: AuditEntry[] }>("GET", "/admin/audit-log?items_per_page=100");
    return body.entries;
  };
  const names = (await pool.rows<{ name: string }>(TABLES, [BACKGROUND_TABLES])).map(({ name }) => name);

  return {
    ...s,
    pool,
    owner,
    ownerOfSolo,
    agent,
    storedEntries: async () => (await pool.rows<{ line: string }>(ROWS, [])).map(({ line }) => line),
    async entriesOf(work) {
      const before = new Set((await list()).map(({ id }) => id));
      const result = await work();
      return { result, entries: (await list()).filter(({ id }) => !before.has(id)).reverse() };
    },
    async checksum() {
      const texts: string[] = [];
      for (const name of names) {
        const sum = `select count(*) || ' ' || coalesce(sum(hashtext(t::text)), 0) as line from ${name} t`;
        texts.push(`${name} ${(await pool.one<{ line: string }>(statement("", sum), []))?.line ?? ""}`);
      }
      return texts.join("\n");
    },
    async renameLog(to) {
      const [from, name] = to === "hide" ? ["audit_log", "hidden_audit_log"] : ["hidden_audit_log", "audit_log"];
      await pool.rows(statement("", `alter table ${from} rename to ${name}`), []);
    },
    async close() {
      await pool.end();
      await s.close();
    },
  };
}
