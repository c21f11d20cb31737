/** Background work. */
export type { Jobs, Task, Tasks, Try } from "./jobs.ts";
export { jobs, type StartableJobs } from "./start.ts";
