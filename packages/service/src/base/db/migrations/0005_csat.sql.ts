/** Customer satisfaction ratings. */
export const CSAT = `
create table csat (
  id                  integer generated always as identity (start with 70001) primary key,
  account_id          integer not null references accounts,
  conversation_id     uuid not null,
  interaction_id      text not null,
  created_time        timestamptz(3) not null,
  issue_resolved      boolean not null,
  rating              smallint,
  additional_feedback text,
  reopened            boolean not null,
  agent_id            uuid,
  agent_internal_id   integer
);
create index csat_time on csat (account_id, created_time);
create index csat_conversation on csat (conversation_id);`;
