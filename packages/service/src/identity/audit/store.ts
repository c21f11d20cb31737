import type { AuditAction, AuditEntry } from "@parley/contract";
import { statement, type Db } from "@parley/database";
import { withoutNulls, type Page } from "../../base/db/page.ts";

/** Which entries are read. Absent: any. */
export interface AuditFilter {
  /** Absent: all accounts, and the changes of the whole installation. */
  readonly accountId?: number | undefined;
  /** The first time that is included. */
  readonly from?: Date | undefined;
  /** The first time that is not included. */
  readonly until?: Date | undefined;
  readonly action?: AuditAction | undefined;
  /** A type, an id, or a name regardless of case. */
  readonly actor?: string | undefined;
  /** An id or name, or the name or e-mail address in the details, regardless of case. */
  readonly subject?: string | undefined;
}

interface AuditRow extends Pick<AuditEntry, "id" | "action"> {
  readonly time: Date;
  readonly account: string | null;
  readonly actor_type: AuditEntry["actor"]["type"];
  readonly actor_id: string | null;
  readonly actor_name: string | null;
  readonly address: string | null;
  readonly subject: string | null;
  /** JSON text. */
  readonly details: string;
}

const COLUMNS = "id, time, account, actor_type, actor_id, actor_name, address, action, subject, details";
const MATCHES = `($1::integer is null or account_id = $1)
      and time >= coalesce($2::timestamptz, '-infinity') and time < coalesce($3::timestamptz, 'infinity')
      and ($4::text is null or action = $4)
      and ($5::text is null or lower($5) in (actor_type, lower(actor_id), lower(actor_name)))
      and ($6::text is null or lower($6) in (lower(subject), lower(details::json ->> 'name'), lower(details::json ->> 'email')))`;

// Not named: a plan for all accounts would be a poor one for a single account.
const COUNT = statement("", `select count(*)::integer as total from audit_log where ${MATCHES}`);
const PAGE = statement(
  "",
  `select ${COLUMNS} from audit_log where ${MATCHES} order by time desc, id desc limit $7 offset $8`,
);
const AFTER = statement(
  "",
  `select ${COLUMNS}
     from audit_log
    where ${MATCHES} and (time, id) > (coalesce($7::timestamptz, '-infinity'), $8::uuid)
    order by time, id
    limit $9`,
);
const DELETE_OLD = statement(
  "delete_old_audit_entries",
  `delete from audit_log
    where id in (select id from audit_log where time < $1 order by time, id limit $2 for update skip locked)
   returning id`,
);
const AGENT_EMAIL = statement("audited_agent", "select email from agents where account_id = $1 and id = $2");

/** Entries that one statement reads for an export, or deletes. */
const BATCH_SIZE = 1_000;
const FIRST_ID = "00000000-0000-0000-0000-000000000000";

const valuesOf = ({ accountId, from, until, action, actor, subject }: AuditFilter): readonly unknown[] => [
  accountId ?? null,
  from ?? null,
  until ?? null,
  action ?? null,
  actor ?? null,
  subject ?? null,
];

const entryOf = (row: AuditRow): AuditEntry => {
  const { actor_type: type, actor_id, actor_name, time, details, ...others } = row;
  return {
    ...withoutNulls(others as Pick<AuditEntry, "id" | "action">),
    time: time.toISOString(),
    actor: { type, ...(actor_id !== null && { id: actor_id }), ...(actor_name !== null && { name: actor_name }) },
    details: JSON.parse(details) as AuditEntry["details"],
  };
};

/** Reads and deletes entries of the table `audit_log`. */
export const auditStore = (db: Db) => ({
  /** Newest first. */
  list: async (
    filter: AuditFilter,
    { itemsPerPage, offset }: Page,
  ): Promise<{ total: number; items: AuditEntry[] }> => {
    const values = valuesOf(filter);
    const [counted, rows] = await Promise.all([
      db.one<{ total: number }>(COUNT, values),
      db.rows<AuditRow>(PAGE, [...values, itemsPerPage, offset]),
    ]);
    return { total: counted?.total ?? 0, items: rows.map(entryOf) };
  },

  /** Oldest first, in batches that are read when they are pulled. */
  async *batches(filter: AuditFilter): AsyncGenerator<readonly AuditEntry[]> {
    for (let last: AuditRow | undefined; ;) {
      const from = [last?.time ?? null, last?.id ?? FIRST_ID, BATCH_SIZE];
      const rows: AuditRow[] = await db.rows<AuditRow>(AFTER, [...valuesOf(filter), ...from]);
      if (rows.length > 0) yield rows.map(entryOf);
      last = rows.at(-1);
      if (!last || rows.length < BATCH_SIZE) return;
    }
  },

  /** Deletes the entries before a time, in batches, so that no statement locks the table for long. */
  deleteBefore: async (time: Date): Promise<void> => {
    while ((await db.rows(DELETE_OLD, [time, BATCH_SIZE])).length >= BATCH_SIZE);
  },

  /** -> the e-mail address of an agent; undefined for an unknown agent. @shape id: a UUID */
  emailOfAgent: async (accountId: number, id: string): Promise<string | undefined> =>
    (await db.one<{ email: string }>(AGENT_EMAIL, [accountId, id]))?.email,
});
