/**
 * The state of an event's delivery to a subscription, only while there is a state to record: deliveries that await another attempt (`waiting`
 * rows block later events of the same entity, `aside` rows don't), dead letters (`dead`), and the last few `delivered` rows.
 * `next_time` is set on rows that are due: the first `waiting` row of an entity, and `aside` rows; they are not attempted before
 * `retry_time`. `taken` counts the requests of one event that the receiver has accepted.
 * Earlier versions of agents, groups and channels in events are kept when they change: `until_seq` is the last log position drawn before.
 */
export const DELIVERIES = `
alter table subscriptions
  add column actions    text[],
  add column off_time   timestamptz(3),
  add column off_reason text,
  add column missed     bigint not null default 0;
create table deliveries (
  subscription_id uuid not null references subscriptions on delete cascade,
  seq             bigint not null,
  event_id        uuid not null,
  kind            text not null,
  entity_id       uuid not null,
  partition       smallint not null,
  state           text not null,
  is_replay       boolean not null,
  tries           integer not null,
  taken           integer not null,
  status          integer,
  reason          text,
  first_time      timestamptz(3),
  next_time       timestamptz(3),
  retry_time      timestamptz(3),
  changed_time    timestamptz(3) not null,
  primary key (subscription_id, seq)
);
create index deliveries_due on deliveries (subscription_id, next_time) where next_time is not null;
create index deliveries_order on deliveries (subscription_id, entity_id, seq) where state = 'waiting';
create index deliveries_state on deliveries (subscription_id, state, seq);
insert into deliveries (subscription_id, seq, event_id, kind, entity_id, partition, state, is_replay, tries, taken, reason, changed_time)
select dead_letters.subscription_id, seq, event_id, outbox.kind, outbox.entity_id, outbox.partition, 'dead', false, tries, 0, reason, failed_time
  from dead_letters join outbox using (seq);
drop table dead_letters;
create index outbox_times on outbox using brin (created_time, id) with (pages_per_range = 32);
create table directory_revisions (
  account_id integer not null,
  kind       text not null,
  id         uuid not null,
  locale     text not null,
  until_seq  bigint not null,
  body       text not null,
  primary key (account_id, id, kind, locale, until_seq)
);
create index directory_revisions_seq on directory_revisions (until_seq);
create function keep_directory_revision() returns trigger language plpgsql set search_path from current as $$
declare
  unsaid constant text[] := array['agent_status', 'availability_status', 'login_status', 'last_login_time'];
begin
  -- A snapshot that is put back brings its own.
  if current_setting('parley.loading', true) = 'on' then
    return null;
  end if;
  if tg_op = 'UPDATE' and tg_table_name = 'agents' then
    if old.body::jsonb - unsaid = new.body::jsonb - unsaid then
      return null;
    end if;
  end if;
  insert into directory_revisions (account_id, kind, id, locale, until_seq, body)
  select old.account_id, tg_table_name, old.id, coalesce(to_jsonb(old) ->> 'locale', ''),
         case when is_called then last_value else last_value - 1 end, old.body
    from log_positions
      on conflict do nothing;
  return null;
end
$$;
create trigger agents_changed after update on agents
  for each row when (old.body is distinct from new.body) execute function keep_directory_revision();
create trigger groups_changed after update on groups
  for each row when (old.body is distinct from new.body) execute function keep_directory_revision();
create trigger channels_changed after update on channels
  for each row when (old.body is distinct from new.body) execute function keep_directory_revision();
create trigger agents_removed after delete on agents for each row execute function keep_directory_revision();
create trigger groups_removed after delete on groups for each row execute function keep_directory_revision();
create trigger channels_removed after delete on channels for each row execute function keep_directory_revision();`;
