/** Whether the routing of a group takes only agents who are signed in. Groups of earlier releases keep their routing as it was. */
export const SIGNED_IN_AGENTS = `alter table groups add column signed_in_agents_only boolean not null default false`;
