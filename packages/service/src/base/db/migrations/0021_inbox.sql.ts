/**
 * Positions of the projections of the event log, and the inbox: one row per conversation, with what lists filter, sort and count by. Rows
 * contain ids, numbers and times only; texts and names are read from their own tables.
 * `inbox_entries`: `waiting_since` may be older than a resolution without an answer of the present wait; it counts while the conversation is
 * open. `waiting_order` sorts those that wait before the others: 10^14 is later than every time in milliseconds.
 * `inbox_counts`: the number of entries by everything that counts are broken down by. Triggers keep it exact.
 * `inbox_properties`: hashes of custom properties and their values.
 * `inbox_changes`: conversations whose change is not in the log, until it is projected. `is_whole`: messages have changed, too.
 * `inbox_backfill`: the conversations of earlier releases, in the order of their ids, are entered up to this conversation; no row: all are.
 * `read_marks`: how many of the customer's messages an agent has read.
 */
export const INBOX = `
create table projection_cursors (
  name text primary key,
  seq  bigint not null
) with (fillfactor = 10);
insert into projection_cursors
select name, seq from facts_cursor, (values ('analytics'), ('inbox')) as projection (name);
drop table facts_cursor;

create function inbox_waiting_order(status text, waiting_since timestamptz, activity_time timestamptz)
returns bigint language sql immutable parallel safe
return case when status <> 'resolved' and waiting_since is not null then (extract(epoch from waiting_since) * 1000)::bigint
            else 100000000000000 - (extract(epoch from activity_time) * 1000)::bigint end;

create table inbox_entries (
  conversation_id   uuid primary key,
  account_id        integer not null,
  number            bigint not null,
  user_id           uuid not null,
  channel_id        uuid not null,
  status            text not null,
  agent_id          uuid,
  group_id          uuid,
  priority          smallint not null,
  created_time      timestamptz(3) not null,
  activity_time     timestamptz(3) not null,
  waiting_since     timestamptz(3),
  waiting_order     bigint not null generated always as (inbox_waiting_order(status, waiting_since, activity_time)) stored,
  last_seq          bigint not null,
  preview_seq       bigint,
  customer_messages integer not null,
  customer_time     timestamptz(3)
) with (fillfactor = 80);
create index inbox_entries_activity on inbox_entries (account_id, status, activity_time, number);
create index inbox_entries_created on inbox_entries (account_id, status, created_time, number);
create index inbox_entries_priority on inbox_entries (account_id, status, priority, activity_time, number);
create index inbox_entries_waiting on inbox_entries (account_id, status, waiting_order, number);
create index inbox_entries_agent on inbox_entries (account_id, agent_id, status, activity_time, number);
create index inbox_entries_group on inbox_entries (account_id, group_id, status, activity_time, number);
create index inbox_entries_channel on inbox_entries (account_id, channel_id, status, activity_time, number);
create index inbox_entries_user on inbox_entries (user_id, activity_time, number);

create table inbox_counts (
  account_id integer not null,
  status     text not null,
  agent_id   uuid,
  group_id   uuid,
  channel_id uuid not null,
  priority   smallint not null,
  count      bigint not null,
  unique nulls not distinct (account_id, status, agent_id, group_id, channel_id, priority)
) with (fillfactor = 50);
create function count_inbox_entries() returns trigger language plpgsql set search_path from current as $$
begin
  if tg_op = 'INSERT' then
    insert into inbox_counts as present (account_id, status, agent_id, group_id, channel_id, priority, count)
    select account_id, status, agent_id, group_id, channel_id, priority, count(*)
      from added
     group by 1, 2, 3, 4, 5, 6
        on conflict (account_id, status, agent_id, group_id, channel_id, priority) do update set count = present.count + excluded.count;
  elsif tg_op = 'DELETE' then
    insert into inbox_counts as present (account_id, status, agent_id, group_id, channel_id, priority, count)
    select account_id, status, agent_id, group_id, channel_id, priority, -count(*)
      from removed
     group by 1, 2, 3, 4, 5, 6
        on conflict (account_id, status, agent_id, group_id, channel_id, priority) do update set count = present.count + excluded.count;
  else
    insert into inbox_counts as present (account_id, status, agent_id, group_id, channel_id, priority, count)
    select account_id, status, agent_id, group_id, channel_id, priority, sum(change)
      from (
        select account_id, status, agent_id, group_id, channel_id, priority, 1 as change from added
         union all
        select account_id, status, agent_id, group_id, channel_id, priority, -1 from removed
      ) moved
     group by 1, 2, 3, 4, 5, 6
    having sum(change) <> 0
        on conflict (account_id, status, agent_id, group_id, channel_id, priority) do update set count = present.count + excluded.count;
  end if;
  return null;
end $$;
create trigger inbox_entries_added after insert on inbox_entries referencing new table as added
  for each statement execute function count_inbox_entries();
create trigger inbox_entries_removed after delete on inbox_entries referencing old table as removed
  for each statement execute function count_inbox_entries();
create trigger inbox_entries_changed after update on inbox_entries referencing old table as removed new table as added
  for each statement execute function count_inbox_entries();

create table inbox_properties (
  account_id      integer not null,
  key             uuid not null,
  conversation_id uuid not null,
  primary key (account_id, key, conversation_id)
);
create index inbox_properties_conversation on inbox_properties (conversation_id);

create table inbox_changes (
  id              bigint generated always as identity primary key,
  conversation_id uuid not null,
  is_whole        boolean not null
);
create function note_changed_properties() returns trigger language plpgsql set search_path from current as $$
begin
  insert into inbox_changes (conversation_id, is_whole) values (new.id, false);
  return null;
end $$;
create trigger conversations_properties after update of properties on conversations
  for each row when (old.properties is distinct from new.properties) execute function note_changed_properties();

create table inbox_backfill (
  conversation_id uuid not null
);
insert into inbox_backfill select '00000000-0000-0000-0000-000000000000' where exists (select from conversations);

create table read_marks (
  account_id      integer not null,
  agent_id        uuid not null,
  conversation_id uuid not null,
  messages        integer not null,
  primary key (agent_id, conversation_id)
);`;
