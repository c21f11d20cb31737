import type { Invocation, InvocationKind } from "@parley/contract";
import { statement, type Db } from "@parley/database";
import type { RecordOwner } from "./records.sql.ts";

export interface InvocationFilter {
  readonly handler?: string;
  readonly event?: string;
  readonly kind?: InvocationKind;
  /** Only successful or only failed invocations. */
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
  `insert into invocations (id, project, account, kind, event, handler, source, begun, ok, body)
   select * from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[],
     $8::timestamptz[], $9::boolean[], $10::text[])
   on conflict (id) do update set body = excluded.body, ok = excluded.ok`,
);
const DELETE_OLD = statement(
  "trim_invocations",
  `delete from invocations
   where project = $1 and account = $2 and id < (
     select id from invocations where project = $1 and account = $2 order by id desc offset $3 - 1 limit 1
   )`,
);
const FIND = statement(
  "find_invocation",
  "select body from invocations where project = $1 and account = $2 and id = $3",
);
const LIST = statement(
  "list_invocations",
  `select body from invocations
   where project = $1
     and account = $2
     and ($3::text is null or handler = $3)
     and ($4::text is null or event = $4)
     and ($5::text is null or kind = $5)
     and ($6::boolean is null or ok = $6)
     and ($7::text is null or source = $7)
     and ($8::text is null or id > $8)
   order by id desc
   limit $9`,
);
const PAGE = statement(
  "page_invocations",
  `select body from invocations
   where project = $1
     and account = $2
     and ($3::text is null or event = $3)
     and ($4::boolean is null or ok = $4)
     and ($5::text is null or source = $5)
     and ($6::timestamptz is null or begun >= $6)
     and ($7::timestamptz is null or begun < $7)
     and ($8::text is null or id < $8)
   order by id desc
   limit $9`,
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
  /** Keeps the newest invocations and deletes the others. */
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
