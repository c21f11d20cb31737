/** Background jobs. */
export type { BackgroundJobs, JobTask, JobTasks, TaskAttempt } from "./jobs.ts";
export { createJobs, type StartableJobs } from "./start.ts";
