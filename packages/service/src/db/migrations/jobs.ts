/** Background work that is due at a time of our clock; the queue gets it then. */
export const JOBS = `
create table due_work (
  id           uuid primary key,
  task         text not null,
  payload      text not null,
  due_time     timestamptz(3) not null
);
create index due_work_time on due_work (due_time);`;
