import { statement, type Connection, arrayLiteral } from "@parley/database";
import type { AccountSettingsRow } from "../../../messaging/accounts/store.ts";

/** A row of a page. The next page continues after the last row. @shape line: JSON text of a record */
interface UserLine {
  readonly created_time: Date;
  readonly sequence: number;
  readonly line: string;
}
interface ConversationLine {
  readonly id: string;
  readonly line: string;
}
/** Whether an account has records of a kind. */
interface AccountContents {
  readonly id: number;
  readonly agents: boolean;
  readonly uploads: boolean;
  readonly users: boolean;
  readonly conversations: boolean;
  readonly csats: boolean;
}
interface MessageLine {
  readonly place: number;
  readonly seq: number;
  readonly line: string;
}

/** Accounts whose settings are read at once. */
export const ACCOUNTS_PAGE_SIZE = 50;
const PAGE_SIZE = 2_000;
/** Conversations per page. Their messages follow each page. */
const CONVERSATIONS_PAGE_SIZE = 500;

const iso = (column: string) => `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

const ACCOUNTS = statement(
  "",
  `select id, name, configuration, primary_locale, calls_per_hour, automatic_assignment from accounts where $1::text is null or name = $1 order by id`,
);
// Most accounts of an installation with many have no records of most kinds: one statement for a page of accounts finds those that have.
const CONTENTS = statement(
  "export_contents",
  `select a.id,
          exists (select from agents where account_id = a.id) as agents,
          exists (select from uploads where account_id = a.id and created_time >= $2) as uploads,
          exists (select from users where account_id = a.id and updated_time >= $2) as users,
          exists (select from conversations where account_id = a.id and updated_time >= $2) as conversations,
          exists (select from csat where account_id = a.id and created_time >= $2) as csats
     from unnest($1::integer[]) as a (id)`,
);
// The bodies are stored as JSON text; the type is inserted before the first member.
const AGENTS = statement(
  "",
  `select '{"type":"agent",' || substr(body, 2) as line from agents where account_id = $1 order by internal_id`,
);
const UPLOADS = statement(
  "",
  `select json_build_object('type', 'upload', 'id', id, 'kind', kind, 'created_time', ${iso("created_time")},
                            'object_key', object_key,
                            'body', body::json)::text as line,
          id
     from uploads
    where account_id = $1 and created_time >= $2 and id > $3
    order by id
    limit ${PAGE_SIZE}`,
);
const USERS = statement(
  "export_users",
  `select created_time, sequence,
          '{"type":"user",' ||
          case when deleted_time is null then '' else '"deleted_time":"' || ${iso("deleted_time")} || '",' end || substr(body, 2) as line
     from users
    where account_id = $1 and updated_time >= $2 and (created_time, sequence) > ($3, $4)
    order by created_time, sequence
    limit ${PAGE_SIZE}`,
);
const CONVERSATIONS = statement(
  "export_conversations",
  `select id,
          json_strip_nulls(json_build_object(
            'type', 'conversation', 'conversation_id', id, 'conversation_internal_id', number, 'channel_id', channel_id, 'user_id', user_id, 'status', status,
            'assigned_agent_id', assigned_agent_id, 'assigned_group_id', assigned_group_id, 'interaction_id', interaction_id,
            'properties', case when properties <> '{}' then properties::json end,
            'restricted', case when restricted then true end,
            'created_time', ${iso("created_time")}, 'updated_time', ${iso("updated_time")}))::text as line
     from conversations
    where account_id = $1 and updated_time >= $2 and id > $3
    order by id
    limit ${CONVERSATIONS_PAGE_SIZE}`,
);
// The import ignores the app_id in the body: each account has its own.
const MESSAGES = statement(
  "export_messages",
  `select c.place, m.seq, '{"type":"message",' || substr(m.body, 2) as line
     from unnest($1::uuid[]) with ordinality as c (id, place)
    cross join lateral (
      select seq, body
        from messages
       where conversation_id = c.id and seq > case when c.place = $3::bigint then $4::bigint else 0 end and created_time >= $2
       order by seq
       limit ${PAGE_SIZE}
    ) m
    where c.place >= $3::bigint
    order by c.place, m.seq
    limit ${PAGE_SIZE}`,
);
const CSATS = statement(
  "export_csats",
  `select id,
          json_strip_nulls(json_build_object(
            'type', 'csat', 'conversation_id', conversation_id, 'interaction_id', interaction_id,
            'created', (extract(epoch from created_time) * 1000)::bigint, 'issue_resolved', issue_resolved, 'rating', rating,
            'additional_feedback', additional_feedback, 'reopen_conversation', reopened, 'agent_id', agent_id))::text as line
     from csat
    where account_id = $1 and created_time >= $2 and id > $3
    order by id
    limit ${PAGE_SIZE}`,
);

/** A snapshot of the database, with a time zone that is the same on all machines, and plans that use the primary keys. */
const BEGIN = `
  begin transaction isolation level repeatable read read only;
  set local timezone = 'UTC';
  set local plan_cache_mode = force_custom_plan`;

const FIRST_ID = "00000000-0000-0000-0000-000000000000";

type Page<T> = AsyncGenerator<readonly T[]>;

async function* pages<T>(next: (last: T | undefined) => Promise<T[]>, size = PAGE_SIZE): Page<T> {
  for (let last: T | undefined; ;) {
    const rows = await next(last);
    if (rows.length > 0) yield rows;
    last = rows.at(-1);
    if (rows.length < size) return;
  }
}

/** Reads pages of one snapshot. */
export const exportStore = (connection: Connection) => ({
  begin: () => connection.script(BEGIN),
  end: () => connection.script("commit"),
  accounts: (name: string | undefined) => connection.rows<AccountSettingsRow>(ACCOUNTS, [name ?? null]),
  /** Which kinds of records each of the accounts has. */
  contents: async (accountIds: readonly number[], since: string) =>
    new Map((await connection.rows<AccountContents>(CONTENTS, [accountIds, since])).map((row) => [row.id, row])),
  agents: (accountId: number) => connection.rows<{ line: string }>(AGENTS, [accountId]),
  uploads: (accountId: number, since: string) =>
    pages<ConversationLine>((last) => connection.rows(UPLOADS, [accountId, since, last?.id ?? FIRST_ID])),
  users: (accountId: number, since: string) =>
    pages<UserLine>((last) =>
      connection.rows(USERS, [accountId, since, last?.created_time.toISOString() ?? "-infinity", last?.sequence ?? 0]),
    ),
  conversations: (accountId: number, since: string) =>
    pages<ConversationLine>(
      (last) => connection.rows(CONVERSATIONS, [accountId, since, last?.id ?? FIRST_ID]),
      CONVERSATIONS_PAGE_SIZE,
    ),
  messages: (conversations: readonly string[], since: string) =>
    pages<MessageLine>((last) =>
      connection.rows(MESSAGES, [arrayLiteral(conversations), since, last?.place ?? 0, last?.seq ?? 0]),
    ),
  csats: (accountId: number, since: string) =>
    pages<{ readonly id: number; readonly line: string }>((last) =>
      connection.rows(CSATS, [accountId, since, last?.id ?? 0]),
    ),
});
