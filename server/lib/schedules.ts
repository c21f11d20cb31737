import type { Schedule } from "@parley/contract";
import type { Schedules } from "@parley/framework/sdk";

const statusOf = (error: unknown): number => ((error ?? {}) as { readonly status?: number }).status ?? 0;

/** Makes a schedule unless one of its name is still to fire: that one stands. */
export async function arrange(schedules: Schedules, schedule: Schedule): Promise<void> {
  await schedules.create(schedule).catch((error: unknown) => {
    if (statusOf(error) !== 409) throw error;
  });
}

/** Makes a schedule, or moves the one of its name to another time: also the one at work, from its own call, which then fires again. */
export async function move(schedules: Schedules, schedule: Schedule): Promise<void> {
  try {
    await schedules.create(schedule);
  } catch (error) {
    if (statusOf(error) !== 409) throw error;
    await schedules.update(schedule);
  }
}

/** Takes a schedule back, if there is one. */
export async function cancel(schedules: Schedules, name: string): Promise<void> {
  await schedules.delete({ name }).catch((error: unknown) => {
    if (statusOf(error) !== 404) throw error;
  });
}
