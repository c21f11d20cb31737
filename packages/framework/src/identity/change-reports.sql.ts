import { statement, type Db, type Transaction } from "@parley/database";
import type { AuditAction } from "@parley/contract";

/** A change of an installation or of the catalogue, for the service's audit log. */
export interface ChangeReport {
  readonly id: string;
  /** Null: a change of the catalogue. */
  readonly account: string | null;
  readonly action: AuditAction;
  readonly app: string;
  /** The signed-in agent; absent for the operator. */
  readonly agent_id?: string | undefined;
  /** IP address of the request. */
  readonly address?: string | undefined;
  /** Names of changed members, never values. */
  readonly members: readonly string[];
}

interface ChangeReportRow {
  readonly id: string;
  readonly account: string | null;
  readonly body: Omit<ChangeReport, "id" | "account">;
}

const ADD = statement(
  "add_change_report",
  "insert into change_reports (id, account, body, created_time) values ($1, $2, $3, $4)",
);
const OLDEST = statement(
  "oldest_change_reports",
  "select id, account, body from change_reports order by created_time, id limit $1",
);
const REMOVE = statement("remove_change_report", "delete from change_reports where id = $1");

/** Stores a report in the transaction of its change, so that no change lacks a report. */
export const addChangeReport = async (
  tx: Transaction,
  { id, account, ...body }: ChangeReport,
  now: Date,
): Promise<void> => {
  await tx.rows(ADD, [id, account, JSON.stringify(body), now]);
};

/** Rows of the table `change_reports`. */
export const changeReportStore = (db: Db) => ({
  /** Oldest first. */
  oldest: async (max: number): Promise<ChangeReport[]> =>
    (await db.rows<ChangeReportRow>(OLDEST, [max])).map(({ id, account, body }) => ({ id, account, ...body })),
  remove: async (id: string): Promise<void> => {
    await db.rows(REMOVE, [id]);
  },
});
export type ChangeReportStore = ReturnType<typeof changeReportStore>;
