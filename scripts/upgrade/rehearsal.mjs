/** A migration after those of this release: an addition of a next release to the tables that requests use most. */
import { migrate } from "../../packages/database/dist/index.js";
import { APP_MIGRATIONS, APP_SCHEMA } from "../../packages/framework/dist/index.js";
import { SERVICE_MIGRATIONS, SERVICE_SCHEMA } from "../../packages/service/dist/index.js";

const NAME = "rehearsal of an upgrade";
const TABLES = [
  "messages",
  "conversations",
  "users",
  "outbox",
  "tokens",
  "subscriptions",
  "inbox_entries",
  "deliveries",
];

const SERVICE = {
  name: NAME,
  sql: `${TABLES.map((table) => `alter table ${table} add column rehearsal text not null default 'added';`).join("\n")}
create table rehearsals (id bigint generated always as identity primary key, user_id uuid references users);
create function note_rehearsal() returns trigger language plpgsql set search_path from current as $$
begin
  insert into rehearsals (user_id) values (new.id);
  return null;
end $$;
create trigger users_rehearsal after insert on users for each row execute function note_rehearsal();`,
  indexes: [
    { name: "messages_rehearsal", on: "messages (conversation_id, created_time)" },
    { name: "outbox_rehearsal", on: "outbox (account_id, created_time)" },
  ],
};
const APPS = {
  name: NAME,
  sql: `alter table installations add column rehearsal text;
alter table invocations add column rehearsal int not null default 0;`,
  indexes: [{ name: "invocations_rehearsal", on: "invocations (begun)" }],
};

const following = (list, migration) => [...list, { ...migration, id: list.at(-1).id + 1 }];

/** Migrates a database to a schema that neither release knows. */
export const rehearse = async (database) => {
  await migrate(database, SERVICE_SCHEMA, following(SERVICE_MIGRATIONS, SERVICE));
  await migrate(database, APP_SCHEMA, following(APP_MIGRATIONS, APPS));
};
