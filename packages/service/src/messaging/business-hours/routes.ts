import { businessHours, GROUP_NOT_FOUND, refuse } from "@parley/contract";
import { createTimeZoneCache } from "@parley/contract/display";
import type { Directory } from "../directory/directory.ts";
import { defineRoutes } from "../../http/route-handlers.ts";
import { openStateAt } from "./opening-hours.ts";
import type { BusinessHoursStore } from "./store.ts";

interface BusinessHoursDeps {
  readonly hours: BusinessHoursStore;
  readonly directory: Pick<Directory, "group">;
  readonly now: () => Date;
}

/** Bounds of a time in the wire format. */
const TIME_MS_MIN = Date.parse("0000-01-01T00:00:00.000Z");
const TIME_MS_MAX = Date.parse("9999-12-31T23:59:59.999Z");

/**
 * @assumed Without business hours the business is always open, in the time zone UTC. A group without hours of its own has the hours of the
 * account. next_change_time is absent if nothing changes within a year.
 */
export const businessHoursRoutes = ({ hours, directory, now }: BusinessHoursDeps) => {
  const zone = createTimeZoneCache();
  return defineRoutes(businessHours, {
    async getWithinBusinessHours({ query, caller: { account } }) {
      const { group_id, time } = query;
      const group = group_id === undefined ? undefined : await directory.group(account.id, group_id);
      if (group_id !== undefined && !group) return refuse(GROUP_NOT_FOUND);
      const moment =
        time === undefined ? now().getTime() : Math.min(Math.max(Date.parse(time), TIME_MS_MIN), TIME_MS_MAX);
      const reply = { time: new Date(moment).toISOString() };
      const found = await hours.of(account.id, group?.id);
      if (!found) return { ...reply, within_business_hours: true, timezone: "UTC" };
      const { isOpen, until } = openStateAt(found, zone(found.timezone), moment);
      return {
        ...reply,
        within_business_hours: isOpen,
        timezone: found.timezone,
        ...(until !== undefined && until <= TIME_MS_MAX && { next_change_time: new Date(until).toISOString() }),
      };
    },
  });
};
