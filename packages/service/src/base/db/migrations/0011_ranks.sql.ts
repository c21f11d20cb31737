/**
 * The position of a user in its list without counting the users before it: the users of an account in ranges of (created_time, sequence),
 * with the number of live users of each range.
 * In every snapshot the live users of a range are its count plus its changes that are not yet folded into the count. Triggers record the
 * changes, so that no writer can omit a change: creations, deletions, and rows that are back-dated or imported.
 * The indexes of lists contain live users only, and the time by which a list of all users is filtered, so that rows are counted or skipped by
 * index-only scans.
 */
export const RANKS = `
drop index users_created;
drop index users_updated;
drop index users_email;
drop index users_first_name;
drop index users_last_name;
create index users_created on users (account_id, created_time, sequence) where deleted_time is null;
create index users_updated on users (account_id, updated_time, sequence) include (created_time) where deleted_time is null;
create index users_email on users (account_id, email, sequence) include (created_time) where deleted_time is null;
create index users_first_name on users (account_id, first_name, sequence) include (created_time) where deleted_time is null;
create index users_last_name on users (account_id, last_name, sequence) include (created_time) where deleted_time is null;

create table user_ranks (
  account_id    integer not null references accounts,
  from_time     timestamptz not null,
  from_sequence bigint not null,
  count         integer not null,
  primary key (account_id, from_time, from_sequence)
) with (fillfactor = 50);
create table user_rank_changes (
  account_id   integer not null,
  created_time timestamptz not null,
  sequence     bigint not null,
  change       smallint not null
);
create index user_rank_changes_place on user_rank_changes (account_id, created_time, sequence);

create function note_added_users() returns trigger language plpgsql set search_path from current as $$
begin
  insert into user_rank_changes
  select account_id, created_time, sequence, 1 from added where deleted_time is null;
  return null;
end $$;
create function note_removed_users() returns trigger language plpgsql set search_path from current as $$
begin
  insert into user_rank_changes
  select account_id, created_time, sequence, -1 from removed where deleted_time is null;
  return null;
end $$;
create function note_moved_user() returns trigger language plpgsql set search_path from current as $$
begin
  insert into user_rank_changes
  select account_id, created_time, sequence, change
    from (values (old.account_id, old.created_time, old.sequence, -1, old.deleted_time),
                 (new.account_id, new.created_time, new.sequence, 1, new.deleted_time))
         as place (account_id, created_time, sequence, change, deleted_time)
   where deleted_time is null;
  return null;
end $$;
create trigger users_added after insert on users referencing new table as added
  for each statement execute function note_added_users();
create trigger users_removed after delete on users referencing old table as removed
  for each statement execute function note_removed_users();
create trigger users_moved after update of created_time, deleted_time on users
  for each row when (old.created_time <> new.created_time or (old.deleted_time is null) <> (new.deleted_time is null))
  execute function note_moved_user();

insert into user_ranks (account_id, from_time, from_sequence, count)
select account_id, '-infinity', 0, count(*) from users where deleted_time is null group by account_id;`;
