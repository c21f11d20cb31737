import type { Schedule } from "@parley/contract";
import type { Schedules } from "@parley/framework/sdk";
import { statusOf } from "./records.ts";

/** Creates a schedule. A pending schedule of the same name remains unchanged. */
export async function createSchedule(schedules: Schedules, schedule: Schedule): Promise<void> {
  await schedules.create(schedule).catch((error: unknown) => {
    if (statusOf(error) !== 409) throw error;
  });
}

/** Creates a schedule, or moves an existing one to another time, including one that is running: it then fires again. */
export async function moveSchedule(schedules: Schedules, schedule: Schedule): Promise<void> {
  try {
    await schedules.create(schedule);
  } catch (error) {
    if (statusOf(error) !== 409) throw error;
    await schedules.update(schedule);
  }
}

/** -> the time at which a schedule fired or will fire; undefined without a schedule */
export async function scheduledTimeOf(schedules: Schedules, name: string): Promise<Date | undefined> {
  try {
    return new Date((await schedules.fetch({ name })).schedule_at);
  } catch (error) {
    if (statusOf(error) === 404) return undefined;
    throw error;
  }
}

/** Cancels a schedule if it exists. */
export async function cancelSchedule(schedules: Schedules, name: string): Promise<void> {
  await schedules.delete({ name }).catch((error: unknown) => {
    if (statusOf(error) !== 404) throw error;
  });
}
