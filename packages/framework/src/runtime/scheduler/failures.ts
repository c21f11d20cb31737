import type { FailedSchedule } from "@parley/contract";
import type { Installations } from "../../installation/installations.ts";
import type { FailureRow, FailureStore } from "../schedules/store.ts";

/** Operations of an app's author on failed schedules, on the account where the app is installed. */
export interface ScheduleFailures {
  /** Newest last. */
  list(): Promise<FailedSchedule[]>;
  find(id: string): Promise<FailureRow | undefined>;
  remove(id: string): Promise<void>;
}

interface ScheduleFailuresDeps {
  /** Name of the app. */
  readonly app: string;
  readonly store: FailureStore;
  readonly installations: Pick<Installations, "find">;
}

const asFailed = ({ data, due_time, failed_time, ...row }: FailureRow): FailedSchedule => ({
  ...row,
  data: JSON.parse(data) as FailedSchedule["data"],
  due_time: due_time.toISOString(),
  failed_time: failed_time.toISOString(),
});

export const scheduleFailures = ({ app, store, installations }: ScheduleFailuresDeps): ScheduleFailures => {
  const owner = async () => {
    const installation = await installations.find();
    return installation && { project: app, account: installation.account };
  };
  return {
    async list() {
      const own = await owner();
      return own ? (await store.list(own)).map(asFailed) : [];
    },
    async find(id) {
      const own = await owner();
      return own && store.find(own, id);
    },
    async remove(id) {
      const own = await owner();
      if (own) await store.remove(own, id);
    },
  };
};
