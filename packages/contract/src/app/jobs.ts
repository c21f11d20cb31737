import Type, { type Static } from "typebox";

/** Long work of an app that runs beside its pages: `client.job`, `$job`. */

export const JOB_STATUSES = ["pending", "in-progress", "success", "failed", "timeout"] as const;
export type JobStatus = (typeof JOB_STATUSES)[number];

/** A job as an app gets it. @units times: seconds since 1970, UTC. @shape end_time: once it has ended */
export interface Job {
  readonly id: string;
  readonly name: string;
  readonly tag: string;
  readonly start_time: number;
  readonly end_time?: number;
  readonly status: JobStatus;
  readonly status_message: string;
}

/** What server/ asks about jobs. @shape get: an id; status: the message of the job at work */
export const JobQuestion = Type.Union([
  Type.Object({ of: Type.Literal("job.get"), id: Type.Unknown() }, { additionalProperties: false }),
  Type.Object({ of: Type.Literal("job.status"), message: Type.Unknown() }, { additionalProperties: false }),
]);
export type JobQuestion = Static<typeof JobQuestion>;
