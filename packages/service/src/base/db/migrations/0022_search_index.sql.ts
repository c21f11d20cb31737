/**
 * The index of the full text search: an inverted index in chunks, which the service writes in the background.
 *
 * `search_recent` contains the newest documents of an account one by one. When there are enough, they become a chunk: `search_chunks` has
 * its range of time and the keys of its documents, `search_blocks` its terms with the documents that contain each. A search reads
 * the recent documents, then the chunks from the newest on, until its page is full: the cost of a frequent word does not depend on
 * the number of messages. `kind` is 1 for messages, 2 for users, 3 for conversations.
 *
 * `search_queue` names documents that have to be indexed without an event: those that existed before, imported documents, and those whose text
 * was changed or erased. Bulk rows wait until no more are added. `search_backfill` is the progress of the walk over the existing rows.
 * Columns that are read by their parts are not compressed.
 */
export const SEARCH_INDEX = `
create table search_recent (
  account_id   integer not null,
  kind         smallint not null,
  created_time timestamptz(3) not null,
  id           uuid not null,
  owner        uuid not null,
  marks        text[] not null,
  words        text not null,
  primary key (account_id, kind, created_time, id)
);
create index search_recent_owner on search_recent (owner);
create table search_chunks (
  account_id  integer not null,
  kind        smallint not null,
  chunk       integer not null,
  newest_time timestamptz(3) not null,
  newest_id   uuid not null,
  oldest_time timestamptz(3) not null,
  size        integer not null,
  keys        bytea not null,
  primary key (account_id, kind, chunk)
);
alter table search_chunks alter column keys set storage external;
create table search_blocks (
  account_id integer not null,
  kind       smallint not null,
  chunk      integer not null,
  first      text collate "C" not null,
  entries    bytea not null,
  primary key (account_id, kind, chunk, first)
);
alter table search_blocks alter column entries set storage external;
create table search_queue (
  account_id   integer not null,
  kind         smallint not null,
  is_bulk      boolean not null,
  created_time timestamptz(3) not null,
  id           uuid not null,
  position     bigint generated always as identity,
  primary key (is_bulk, account_id, kind, created_time, id)
);
create table search_backfill (
  kind       smallint primary key,
  next_block bigint not null default 0,
  is_done    boolean not null default false
);
insert into search_backfill (kind) values (1), (2), (3);
insert into projection_cursors select 'search', coalesce(max(seq), 0) from outbox;`;
