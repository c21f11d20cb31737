import type { Schedule } from "@parley/contract";
import type { Schedules } from "@parley/framework/sdk";
import { statusOf } from "./records.ts";

/** Makes a schedule unless one of its name is still to fire: that one stands. */
export async function createSchedule(schedules: Schedules, schedule: Schedule): Promise<void> {
  await schedules.create(schedule).catch((error: unknown) => {
    if (statusOf(error) !== 409) throw error;
  });
}

/** Makes a schedule, or moves the one of its name to another time: also the one at work, from its own call, which then fires again. */
export async function moveSchedule(schedules: Schedules, schedule: Schedule): Promise<void> {
  try {
    await schedules.create(schedule);
  } catch (error) {
    if (statusOf(error) !== 409) throw error;
    await schedules.update(schedule);
  }
}

/** -> when a schedule was or is to fire, undefined where there is none */
export async function scheduledTimeOf(schedules: Schedules, name: string): Promise<Date | undefined> {
  try {
    return new Date((await schedules.fetch({ name })).schedule_at);
  } catch (error) {
    if (statusOf(error) === 404) return undefined;
    throw error;
  }
}

/** Takes a schedule back, if there is one. */
export async function cancelSchedule(schedules: Schedules, name: string): Promise<void> {
  await schedules.delete({ name }).catch((error: unknown) => {
    if (statusOf(error) !== 404) throw error;
  });
}
