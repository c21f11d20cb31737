import Type, { type Static } from "typebox";

/** Long-running functions of an app, run in the background: `client.job`, `$job`. */

export const JOB_STATUSES = ["pending", "in-progress", "success", "failed", "timeout"] as const;
export type JobStatus = (typeof JOB_STATUSES)[number];

/** A job as an app receives it. @units times: seconds since 1970, UTC. @shape end_time: present once the job has ended */
export interface Job {
  readonly id: string;
  readonly name: string;
  readonly tag: string;
  readonly start_time: number;
  readonly end_time?: number;
  readonly status: JobStatus;
  readonly status_message: string;
}

/** Requests of server/ about jobs. @shape get: an id; status: a new message of the running job */
export const JobQuestion = Type.Union([
  Type.Object({ of: Type.Literal("job.get"), id: Type.Unknown() }, { additionalProperties: false }),
  Type.Object({ of: Type.Literal("job.status"), message: Type.Unknown() }, { additionalProperties: false }),
]);
export type JobQuestion = Static<typeof JobQuestion>;
