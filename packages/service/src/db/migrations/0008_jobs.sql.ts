/**
 * Background work that is due at a time of our clock; the queue gets it then, and the row stays until the work is done. `holder` is
 * the number of the process that does it: one that is gone holds no advisory lock of that number, and its work is given back.
 */
export const JOBS = `
create table due_work (
  id           uuid primary key,
  task         text not null,
  payload      text not null,
  due_time     timestamptz(3) not null,
  tries        integer not null default 0,
  queued       boolean not null default false,
  holder       bigint
);
create index due_work_time on due_work (due_time) where not queued;
create index due_work_queued on due_work (id) where queued;
create sequence job_processes;`;
