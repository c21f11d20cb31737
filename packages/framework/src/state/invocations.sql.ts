import type { Invocation, InvocationKind } from "@parley/contract";
import { statement, type Db } from "@parley/database";
import type { RecordOwner } from "./records.sql.ts";

export interface InvocationFilter {
  readonly handler?: string;
  readonly event?: string;
  readonly kind?: InvocationKind;
  /** Only successful or only failed ones. */
  readonly ok?: boolean;
  /** Id of the service's event. */
  readonly source?: string;
  /** Only those newer than this id. */
  readonly after?: string;
  readonly limit?: number;
}

/** Filter of a page of invocations. */
export interface InvocationPageFilter extends Pick<InvocationFilter, "event" | "ok" | "source"> {
  /** Begun at this time or later. */
  readonly from?: Date;
  /** Begun before this time. */
  readonly to?: Date;
  /** Only those older than this id. */
  readonly before?: string;
}

/** Records of handler calls, for the app's author. */
export interface Invocations {
  /** Never throws and never delays the caller. */
  record(invocation: Invocation): void;
  find(id: string): Promise<Invocation | undefined>;
  /** Newest last. */
  list(filter: InvocationFilter): Promise<readonly Invocation[]>;
  /** Newest first. */
  page(filter: InvocationPageFilter, max: number): Promise<readonly Invocation[]>;
  /** Calls the listener with each invocation when it ends. -> ends the subscription */
  follow(listener: (invocation: Invocation) => void): () => void;
}

interface Row {
  readonly body: string;
}

const ADD = statement(
  "add_invocations",
  `INSERT INTO invocations (id, project, account, kind, event, handler, source, begun, ok, body)
   SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[],
     $8::timestamptz[], $9::boolean[], $10::text[])
   ON CONFLICT (id) DO UPDATE SET body = excluded.body, ok = excluded.ok`,
);
const DELETE_OLD = statement(
  "trim_invocations",
  `DELETE FROM invocations
   WHERE project = $1 AND account = $2 AND id < (
     SELECT id FROM invocations WHERE project = $1 AND account = $2 ORDER BY id DESC OFFSET $3 - 1 LIMIT 1
   )`,
);
const FIND = statement(
  "find_invocation",
  "SELECT body FROM invocations WHERE project = $1 AND account = $2 AND id = $3",
);
const LIST = statement(
  "list_invocations",
  `SELECT body FROM invocations
   WHERE project = $1
     AND account = $2
     AND ($3::text IS NULL OR handler = $3)
     AND ($4::text IS NULL OR event = $4)
     AND ($5::text IS NULL OR kind = $5)
     AND ($6::boolean IS NULL OR ok = $6)
     AND ($7::text IS NULL OR source = $7)
     AND ($8::text IS NULL OR id > $8)
   ORDER BY id DESC
   LIMIT $9`,
);
const PAGE = statement(
  "page_invocations",
  `SELECT body FROM invocations
   WHERE project = $1
     AND account = $2
     AND ($3::text IS NULL OR event = $3)
     AND ($4::boolean IS NULL OR ok = $4)
     AND ($5::text IS NULL OR source = $5)
     AND ($6::timestamptz IS NULL OR begun >= $6)
     AND ($7::timestamptz IS NULL OR begun < $7)
     AND ($8::text IS NULL OR id < $8)
   ORDER BY id DESC
   LIMIT $9`,
);

const read = ({ body }: Row) => JSON.parse(body) as Invocation;

/** Rows of the table `invocations`. */
export const invocationStore = (db: Db) => ({
  add: async ({ project, account }: RecordOwner, all: readonly Invocation[]): Promise<void> => {
    const column = <T>(of: (one: Invocation) => T) => all.map(of);
    await db.rows(ADD, [
      column(({ id }) => id),
      column(() => project),
      column(() => account),
      column(({ kind }) => kind),
      column(({ event }) => event),
      column(({ handler }) => handler),
      column(({ source }) => source ?? null),
      column(({ begun }) => begun),
      column(({ ok }) => ok),
      column((one) => JSON.stringify(one)),
    ]);
  },
  /** Keeps the newest ones and deletes the others. */
  trim: async ({ project, account }: RecordOwner, left: number): Promise<void> => {
    await db.rows(DELETE_OLD, [project, account, left]);
  },
  find: async ({ project, account }: RecordOwner, id: string): Promise<Invocation | undefined> => {
    const row = await db.one<Row>(FIND, [project, account, id]);
    return row && read(row);
  },
  /** Newest last. */
  list: async (
    { project, account }: RecordOwner,
    filter: InvocationFilter & { readonly limit: number },
  ): Promise<Invocation[]> => {
    const { handler = null, event = null, kind = null, ok = null, source = null, after = null, limit } = filter;
    const rows = await db.rows<Row>(LIST, [project, account, handler, event, kind, ok, source, after, limit]);
    return rows.map(read).reverse();
  },
  /** Newest first. */
  page: async ({ project, account }: RecordOwner, filter: InvocationPageFilter, max: number): Promise<Invocation[]> => {
    const { event = null, ok = null, source = null, from = null, to = null, before = null } = filter;
    return (await db.rows<Row>(PAGE, [project, account, event, ok, source, from, to, before, max])).map(read);
  },
});
export type InvocationStore = ReturnType<typeof invocationStore>;
