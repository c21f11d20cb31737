/**
 * An agent's drafts of a conversation: one of a reply, and one of a private note. `drafts` has room for one of both: processes of the previous
 * release write it, and the trigger adds what they write. Nothing else writes `drafts`; a later release removes it.
 */
export const CONVERSATION_DRAFTS = `
create table conversation_drafts (
  account_id      integer not null references accounts,
  agent_id        uuid not null,
  conversation_id uuid not null,
  is_private      boolean not null,
  text            text not null,
  parts           text not null,
  updated_time    timestamptz(3) not null,
  primary key (account_id, agent_id, conversation_id, is_private),
  foreign key (account_id, agent_id) references agents on delete cascade
);
create index conversation_drafts_conversation on conversation_drafts (conversation_id);
create function copy_draft() returns trigger language plpgsql set search_path from current as $$
begin
  if tg_op = 'DELETE' then
    delete from conversation_drafts
     where (account_id, agent_id, conversation_id, is_private) = (old.account_id, old.agent_id, old.conversation_id, old.is_private);
  else
    insert into conversation_drafts (account_id, agent_id, conversation_id, is_private, text, parts, updated_time)
    values (new.account_id, new.agent_id, new.conversation_id, new.is_private, new.text, new.parts, new.updated_time)
    on conflict (account_id, agent_id, conversation_id, is_private) do update
      set (text, parts, updated_time) = (excluded.text, excluded.parts, excluded.updated_time);
  end if;
  return null;
end $$;
create trigger drafts_changed after insert or update or delete on drafts for each row execute function copy_draft();
insert into conversation_drafts (account_id, agent_id, conversation_id, is_private, text, parts, updated_time)
select account_id, agent_id, conversation_id, is_private, text, parts, updated_time from drafts;`;
