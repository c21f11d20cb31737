/**
 * Background jobs with their due time on the service's clock. A due job is moved to the queue, and its row remains until it is done. `holder`
 * is the number of the process that runs it. An ended process holds no advisory lock of its number, and its jobs are released.
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
