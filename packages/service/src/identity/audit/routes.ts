import {
  ACCOUNT_NOT_FOUND,
  INVALID_VALUE,
  refuse,
  type AuditAction,
  type AuditEntry,
  type auditLog,
} from "@parley/contract";
import type { Pool } from "@parley/database";
import { accountStore } from "../../messaging/accounts/store.ts";
import { clampPage, pageReply } from "../../http/pagination.ts";
import type { HandlerContext, RouteHandlers } from "../../http/route-handlers.ts";
import type { AuditRecord, RecordAudit } from "./record.sql.ts";
import { platformActor, reportedActor } from "./reported-actor.ts";
import { auditStore, type AuditFilter } from "./store.ts";

interface AuditRoutesDeps {
  readonly pool: Pool;
  readonly recordAudit: RecordAudit;
}

interface AuditQuery {
  readonly from?: string;
  readonly until?: string;
  readonly action?: AuditAction;
  readonly actor?: string;
  readonly subject?: string;
}

/** Entries have times of millisecond precision: a finer bound is rounded up. */
const timeOf = (text: string | undefined): Date | undefined =>
  text === undefined ? undefined : new Date(Date.parse(text) + (/\.\d{3}0*[1-9]/.test(text) ? 1 : 0));

/** @errors INVALID_VALUE for a range without a moment */
const filterOf = ({ from, until, action, actor, subject }: AuditQuery, accountId?: number): AuditFilter => {
  const range = { from: timeOf(from), until: timeOf(until) };
  if (range.from && range.until && range.from >= range.until) refuse(INVALID_VALUE, "from must be earlier than until");
  return { accountId, ...range, action, actor, subject };
};

async function* linesOf(batches: AsyncIterable<readonly AuditEntry[]>): AsyncGenerator<string> {
  for await (const entries of batches) yield entries.map((entry) => `${JSON.stringify(entry)}\n`).join("");
}

const RECORDED = { code: 201, status: "CREATED", message: "The change is recorded." };

/** The part of an entry that the platform's report of a change contains. */
const reportedChange = ({
  id,
  action,
  app,
  members,
}: {
  readonly id?: string;
  readonly action: AuditAction;
  readonly app: string;
  readonly members?: readonly string[];
}): Omit<AuditRecord, "actor"> => ({
  action,
  subject: app,
  ...(members && { details: { members } }),
  ...(id !== undefined && { reportId: id }),
});

/** The endpoints of the audit log. */
export const auditHandlers = ({ pool, recordAudit }: AuditRoutesDeps): RouteHandlers<typeof auditLog> => {
  const [store, accounts] = [auditStore(pool), accountStore(pool)];
  const accountOf = async (name: string) => (await accounts.byName(name)) ?? refuse(ACCOUNT_NOT_FOUND);

  const list = async (
    query: AuditQuery & Parameters<typeof clampPage>[0],
    request: HandlerContext["request"],
    accountId?: number,
  ) => {
    const page = clampPage(query);
    const { total, items } = await store.list(filterOf(query, accountId), page);
    return pageReply({ name: "entries", rel: "entry", items, total, ...page, request });
  };

  return {
    async listAuditLog({ params, query, request }) {
      return list(query, request, (await accountOf(params.account)).id);
    },
    async exportAuditLog({ params, query, actor }) {
      const account = await accountOf(params.account);
      await pool.transaction((tx) =>
        recordAudit(tx, { actor, action: "audit_log.export", account, details: { ...query } }),
      );
      return { lines: linesOf(store.batches(filterOf(query, account.id))) };
    },
    async listInstallationAuditLog({ query, request }) {
      return list(query, request);
    },
    async recordAppChange({ params, body }) {
      const account = await accountOf(params.account);
      const actor = await reportedActor(pool, account.id, body);
      await pool.transaction((tx) => recordAudit(tx, { ...reportedChange(body), actor, account }));
      return RECORDED;
    },
    async recordCatalogueChange({ body }) {
      await pool.transaction((tx) => recordAudit(tx, { ...reportedChange(body), actor: platformActor(body.address) }));
      return RECORDED;
    },
  };
};
