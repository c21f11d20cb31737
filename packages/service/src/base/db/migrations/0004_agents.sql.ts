/** The history of agents' statuses, for raw reports. A status change inserts its row in the same statement. */
export const AGENTS = `
create table agent_activity (
  id                  bigint generated always as identity primary key,
  account_id          integer not null references accounts,
  agent_id            uuid not null,
  created_time        timestamptz(3) not null,
  from_status         text,
  to_status           text,
  availability_status text not null
);
create index agent_activity_time on agent_activity (account_id, created_time);
create index conversations_assigned on conversations (assigned_agent_id) where status = 'assigned';
create unique index agents_email on agents (account_id, lower(email));`;
