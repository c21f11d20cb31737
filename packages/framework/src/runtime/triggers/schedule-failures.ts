import type { FailedSchedule } from "@parley/contract";
import type { RecordOwner } from "../../state/records.sql.ts";
import type { FailureRow, FailureStore } from "../../state/schedules.sql.ts";

/** Operations of an app's author on the failed schedules of an installation. */
export interface ScheduleFailures {
  /** Newest last. */
  list(): Promise<FailedSchedule[]>;
  find(id: string): Promise<FailureRow | undefined>;
  remove(id: string): Promise<void>;
}

const asFailed = ({ data, due_time, failed_time, ...row }: FailureRow): FailedSchedule => ({
  ...row,
  data: JSON.parse(data) as FailedSchedule["data"],
  due_time: due_time.toISOString(),
  failed_time: failed_time.toISOString(),
});

export const scheduleFailures = (store: FailureStore, owner: RecordOwner): ScheduleFailures => ({
  list: async () => (await store.list(owner)).map(asFailed),
  find: (id) => store.find(owner, id),
  remove: (id) => store.remove(owner, id),
});
