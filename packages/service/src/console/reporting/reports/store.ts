import type { ReportEvent } from "@parley/contract";
import { statement, type Db, type Pool, type Connection, type Statement } from "@parley/database";
import type { ReportPeriod } from "./report-period.ts";
import type { NamedAgent } from "./columns.ts";

/** Maximum reports of an event per account. */
export interface ReportQuota {
  readonly perMinute: number;
  readonly perDay: number;
}

const MINUTE_MS = 60_000;
export const DAY_MS = 24 * 60 * MINUTE_MS;

/** The creation times of the reports that exhaust the quotas of the minute and the day; null: quota is left. */
interface QuotaUse {
  readonly minute: Date | null;
  readonly day: Date | null;
}

/**
 * The time until the next report is allowed; 0: now.
 * @units seconds
 * @assumed The quotas apply to the last 60 seconds and the last 24 hours, not to calendar units. Refused requests don't count.
 */
export const secondsUntilAllowed = ({ minute, day }: QuotaUse, now: Date): number => {
  const until = Math.max(minute ? minute.getTime() + MINUTE_MS : 0, day ? day.getTime() + DAY_MS : 0);
  return Math.max(0, Math.ceil((until - now.getTime()) / 1000));
};

export type LinkStatus = "PENDING" | "IN_PROGRESS" | "COMPLETED" | "FAILED";

/** A stored file of a report. */
export interface LinkRow {
  readonly place: number;
  readonly from_time: Date;
  readonly to_time: Date;
  readonly status: LinkStatus;
}
/** A stored report. */
interface ReportRow {
  readonly id: string;
  readonly event: ReportEvent;
  readonly start_time: Date;
  readonly end_time: Date;
}
/** A stored report in a list. */
export interface ListedReportRow extends ReportRow {
  readonly created_time: Date;
  readonly without_pii: boolean;
  /** Of its files. */
  readonly statuses: readonly LinkStatus[];
}
/** A file to be created. */
export interface ReportWork extends LinkRow {
  readonly account_id: number;
  readonly event: ReportEvent;
  readonly without_pii: boolean;
  readonly account_domain: string;
}
/** A requested report. */
interface RequestedReport {
  readonly id: string;
  readonly accountId: number;
  readonly event: ReportEvent;
  readonly range: ReportPeriod;
  readonly excludesPii: boolean;
  readonly periods: readonly ReportPeriod[];
}

// Serialises requests, so that concurrent requests can't exceed the quota.
const LOCK = statement(
  "lock_report_quota",
  "select pg_advisory_xact_lock(hashtext('parley.reports ' || $1::text), hashtext($2))",
);
const QUOTA_USE = statement(
  "report_standing",
  `select (select created_time from reports
            where account_id = $1 and event = $2 and created_time > $3
            order by created_time desc offset $5 - 1 limit 1) as minute,
          (select created_time from reports
            where account_id = $1 and event = $2 and created_time > $4
            order by created_time desc offset $6 - 1 limit 1) as day`,
);
const ADD = statement(
  "add_report",
  `with added as (
     insert into reports (id, account_id, event, created_time, start_time, end_time, without_pii)
     values ($1, $2, $3, $4, $5, $6, $7)
     returning id
   )
   insert into report_links (report_id, place, from_time, to_time)
   select added.id, stretch.place, stretch.from_time, stretch.to_time
     from added, unnest($8::timestamptz[], $9::timestamptz[]) with ordinality as stretch (from_time, to_time, place)`,
);
const FIND = statement(
  "find_report",
  "select id, event, start_time, end_time from reports where account_id = $1 and id = $2",
);
const LINKS = statement(
  "report_links",
  "select place, from_time, to_time, status from report_links where report_id = $1 order by place",
);
// The statuses of a page are read after the page is cut.
const LIST = statement(
  "list_reports",
  `with page as (
     select id, event, start_time, end_time, created_time, without_pii
       from reports
      where account_id = $1
        and ($2::uuid is null
             or (created_time, id) < (select last.created_time, last.id from reports last where last.account_id = $1 and last.id = $2))
      order by created_time desc, id desc
      limit $3
   )
   select page.*, array(select status from report_links where report_id = page.id order by place) as statuses
     from page
    order by created_time desc, id desc`,
);
const BEGIN = statement(
  "begin_report_link",
  `with begun as (
     update report_links set status = 'IN_PROGRESS'
      where report_id = $1 and place = $2 and status in ('PENDING', 'IN_PROGRESS')
     returning report_id, place, from_time, to_time, status
   )
   select begun.place, begun.from_time, begun.to_time, begun.status, r.account_id, r.event, r.without_pii,
          a.configuration::json ->> 'account_domain' as account_domain
     from begun
     join reports r on r.id = begun.report_id
     join accounts a on a.id = r.account_id`,
);
const END = statement(
  "end_report_link",
  "update report_links set status = $3 where report_id = $1 and place = $2 returning place",
);
const AGENTS = statement("report_agents", "select id, email, first_name, last_name from agents where account_id = $1");
const GROUPS = statement("report_groups", "select id, name from groups where account_id = $1");
const CHANNELS = statement(
  "report_channels",
  `select distinct on (c.id) c.id, c.name
     from channels c
     join accounts a on a.id = c.account_id
    where c.account_id = $1
    order by c.id, c.locale <> a.primary_locale, c.locale`,
);
const PRESENT = statement("present_reports", "select id from reports where id = any($1::uuid[])");
const REMOVE = statement("remove_report", "delete from reports where id = $1");

type Named = { readonly id: string; readonly name: string };

/** Rows of the tables `reports` and `report_links`, and the names of agents, groups and channels. */
export const reportStore = (pool: Pool) => ({
  /** Runs in a transaction that holds a lock for the account and the event. */
  exclusively: <T>(accountId: number, event: ReportEvent, work: (tx: Db) => Promise<T>): Promise<T> =>
    pool.transaction(async (tx) => {
      await tx.one(LOCK, [accountId, event]);
      return work(tx);
    }),
  quotaUse: async (
    tx: Db,
    accountId: number,
    event: ReportEvent,
    now: Date,
    { perMinute, perDay }: ReportQuota,
  ): Promise<QuotaUse> => {
    const [minute, day] = [MINUTE_MS, DAY_MS].map((ms) => new Date(now.getTime() - ms));
    const found = await tx.one<QuotaUse>(QUOTA_USE, [accountId, event, minute, day, perMinute, perDay]);
    return found ?? { minute: null, day: null };
  },
  add: (tx: Db, { id, accountId, event, range, excludesPii, periods }: RequestedReport, now: Date) =>
    tx.rows(ADD, [
      id,
      accountId,
      event,
      now,
      range.from,
      range.to,
      excludesPii,
      periods.map(({ from }) => from),
      periods.map(({ to }) => to),
    ]),
  /** -> undefined for an unknown id */
  find: (accountId: number, id: string) => pool.one<ReportRow>(FIND, [accountId, id]),
  /** The newest first. @shape after: id of the report before; an empty page if it was removed */
  list: (accountId: number, after: string | undefined, limit: number) =>
    pool.rows<ListedReportRow>(LIST, [accountId, after ?? null, limit]),
  links: (id: string) => pool.rows<LinkRow>(LINKS, [id]),
  /** -> undefined if the file is finished or the report was removed */
  begin: (id: string, place: number) => pool.one<ReportWork>(BEGIN, [id, place]),
  /** -> false if the report was removed in the meantime */
  end: async (id: string, place: number, status: LinkStatus): Promise<boolean> =>
    (await pool.one(END, [id, place, status])) !== undefined,
  /** Removes the report with its files' rows. */
  remove: (id: string) => pool.rows(REMOVE, [id]),
  agents: (accountId: number) => pool.rows<NamedAgent & { readonly id: string }>(AGENTS, [accountId]),
  groups: (accountId: number) => pool.rows<Named>(GROUPS, [accountId]),
  channels: (accountId: number) => pool.rows<Named>(CHANNELS, [accountId]),
});
export type ReportStore = ReturnType<typeof reportStore>;

/** -> the ids of the given reports that exist */
export const presentReports = async (db: Db, ids: readonly string[]): Promise<ReadonlySet<string>> =>
  new Set((await db.rows<{ id: string }>(PRESENT, [ids])).map(({ id }) => id));

/** The query of a period. */
interface PeriodQuery {
  /** Parameters: the account, the start (inclusive) and the end (exclusive). */
  readonly rows: Statement;
  readonly accountId: number;
  readonly from: Date;
  readonly to: Date;
  readonly signal: AbortSignal;
}

/** Rows per fetch. Two batches are in memory, one being written and one being read, and a message may have a megabyte. */
const BATCH_ROWS = 64;

const OPEN = "begin read only";
const CLOSE = "commit";
const FETCH = statement("", `fetch ${BATCH_ROWS} from stretch`);

/**
 * Reads rows in batches on a separate connection. The next batch is fetched while the current one is processed.
 * @errors database errors; the signal's reason
 */
export async function* readPeriodRows(
  connect: () => Promise<Connection>,
  { rows, accountId, from, to, signal }: PeriodQuery,
): AsyncGenerator<readonly unknown[]> {
  const connection = await connect();
  try {
    await connection.script(OPEN);
    const declared = statement("", `declare stretch no scroll cursor for ${rows.text}`);
    await connection.rows(declared, [accountId, from, to]);
    const fetch = () => {
      const batch = connection.rows<unknown>(FETCH, []);
      // The next iteration awaits it.
      batch.catch(() => undefined);
      return batch;
    };
    let next = fetch();
    for (let batch = await next; batch.length > 0; batch = await next) {
      signal.throwIfAborted();
      next = fetch();
      yield batch;
    }
    await connection.script(CLOSE);
  } finally {
    await connection.close();
  }
}
