/**
 * Automatic assignment. The queue of a group is its conversations without an agent, which the index finds in their order: nothing is kept
 * beside it. `routing_turns`: number of an agent's last automatic
 * assignment among those of the account. Times would not do: one transaction assigns several conversations at the same time.
 * `routing_reasons`: why a conversation was assigned to its present agent: `load` is the agent's number of open conversations before,
 * `capacity` how many the agent takes. The row is deleted with any later change of the agent.
 */
export const ROUTING = `
alter table accounts add column automatic_assignment boolean not null default false;
create index conversations_waiting on conversations (assigned_group_id, created_time, number)
 where status = 'new' and assigned_group_id is not null;
create table routing_turns (
  account_id    integer not null references accounts,
  agent_id      uuid not null,
  turn          bigint not null,
  primary key (account_id, agent_id),
  foreign key (account_id, agent_id) references agents on delete cascade
);
create table routing_reasons (
  conversation_id uuid primary key,
  account_id      integer not null,
  logic           text not null,
  load            integer not null,
  capacity        integer not null,
  assigned_time   timestamptz(3) not null
);
create function forget_routing_reason() returns trigger language plpgsql set search_path from current as $$
begin
  delete from routing_reasons where conversation_id = new.id;
  return null;
end $$;
create trigger conversations_agent_changed after update of assigned_agent_id on conversations
  for each row when (old.assigned_agent_id is distinct from new.assigned_agent_id) execute function forget_routing_reason();`;
