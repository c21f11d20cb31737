/** Positions after `seq` of events that are done too, saved when a partition is released: its next holder does not repeat them. */
export const CURSORS_AHEAD = `alter table cursors add column done_ahead bigint[] not null default '{}';`;
