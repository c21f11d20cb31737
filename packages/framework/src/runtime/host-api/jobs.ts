import { APP_LIMITS, isObject, type Job } from "@parley/contract";
import { failureText, type Log } from "@parley/telemetry";
import type { Installation } from "../../state/installations.ts";
import type { HostPorts } from "../../environment/ports.ts";
import type { Project } from "../../model/project.ts";
import { refuseCall } from "../../model/app-refused.ts";
import type { CallOutcome } from "../process/runner.ts";
import type { JobRow, JobStore } from "../../state/jobs.sql.ts";

/**
 * Jobs of an app. States: in-progress → success | failed | timeout. A job whose host ended without reporting a result is a timeout after its
 * time limit.
 */
export interface AppJobs {
  /** Starts a job and returns before it has ended. @errors AppRefused */
  invoke(installation: Installation, name: unknown, tag: unknown, args: unknown): Promise<Job>;
  /** @errors AppRefused 404 */
  get(account: string, id: unknown): Promise<Job>;
  /** Stores the progress message of a running job. @shape id: of the calling job, undefined if the call is not a job @errors AppRefused */
  report(id: string | undefined, message: unknown): Promise<object>;
  /** Resolves when the results of all jobs of this host are stored. */
  settled(): Promise<void>;
}

/** Runs the function of a job. */
export type RunJob = (
  job: { readonly id: string; readonly name: string; readonly ms: number },
  args: object,
  installation: Installation,
) => Promise<CallOutcome>;

interface AppJobsDeps extends Pick<HostPorts, "newId" | "now"> {
  /** Name of the app. */
  readonly app: string;
  readonly project: () => Pick<Project, "manifest">;
  readonly store: JobStore;
  readonly run: RunJob;
  readonly log: Log;
}

const jobMs = APP_LIMITS.jobSeconds * 1_000;
/** Time that a host may need to report that a job has ended. @units milliseconds */
const GRACE_MS = 10_000;
/** @units milliseconds @assumed a job can be queried for a week */
const KEPT_MS = 7 * 86_400_000;
/** Maximum lengths. @units characters */
const LENGTHS_MAX = { tag: 256, message: 1_000 };

const seconds = (time: Date): number => Math.floor(time.getTime() / 1_000);

const jobOf = (row: JobRow, now: Date): Job => {
  const { id, name, tag, message, start_time } = row;
  const over = new Date(start_time.getTime() + jobMs + GRACE_MS);
  const isLost = row.end_time === null && now > over;
  const end = isLost ? over : row.end_time;
  return {
    id,
    name,
    tag,
    start_time: seconds(start_time),
    ...(end && { end_time: seconds(end) }),
    status: isLost ? "timeout" : row.status,
    status_message: isLost ? "The host of the job ended before it" : message,
  };
};

export const createAppJobs = ({ app, project, store, run, newId, now, log }: AppJobsDeps): AppJobs => {
  const running = new Set<Promise<void>>();
  const ownerOf = (account: string) => ({ project: app, account });

  const work = async (job: { id: string; name: string }, args: object, installation: Installation): Promise<void> => {
    const outcome = await run({ ...job, ms: jobMs }, args, installation);
    const refusal = outcome.ok ? outcome.rendered?.message : outcome.error;
    const isLate = !outcome.ok && outcome.error.includes(`took more than ${jobMs / 1_000} s`);
    const status = refusal === undefined ? "success" : isLate ? "timeout" : "failed";
    await store.end(job.id, status, refusal?.slice(0, LENGTHS_MAX.message), now());
  };

  return {
    async invoke(installation, name, tag, args) {
      const declared = project().manifest.modules["common"]?.jobs ?? {};
      if (typeof name !== "string" || !Object.hasOwn(declared, name))
        refuseCall(404, `The job '${String(name)}' is not mentioned in manifest.json`);
      if (typeof tag !== "string" || tag.length > LENGTHS_MAX.tag || tag.includes("\0"))
        refuseCall(400, `The tag of a job must be a text of at most ${LENGTHS_MAX.tag} characters`);
      if (!isObject(args)) refuseCall(400, `The job '${name}' takes an object`);
      const owner = ownerOf(installation.account);
      const present = now();
      await store.trim(app, new Date(present.getTime() - KEPT_MS));
      const row = await store.add(
        owner,
        { id: newId(), name, tag, start_time: present },
        { since: new Date(present.getTime() - jobMs - GRACE_MS), max: APP_LIMITS.runningJobs },
      );
      if (!row) refuseCall(429, `At most ${APP_LIMITS.runningJobs} jobs may be at work at once`);
      const ended = work(row, args, installation)
        .catch((error: unknown) =>
          log(`The end of the job ${name} could not be stored: ${failureText(error)}`, { level: "error" }),
        )
        .finally(() => running.delete(ended));
      running.add(ended);
      return jobOf(row, present);
    },
    async get(account, id) {
      const row = typeof id === "string" && !id.includes("\0") ? await store.find(ownerOf(account), id) : undefined;
      if (!row) refuseCall(404, "Job not found");
      return jobOf(row, now());
    },
    async report(id, message) {
      if (id === undefined) refuseCall(400, "$job.updateStatusMessage works inside a job only");
      if (typeof message !== "string" || message.length > LENGTHS_MAX.message || message.includes("\0"))
        refuseCall(400, `A status message must be a text of at most ${LENGTHS_MAX.message} characters`);
      await store.report(id, message);
      return {};
    },
    async settled() {
      await Promise.all(running);
    },
  };
};
