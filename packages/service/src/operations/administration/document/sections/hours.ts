import { isCalendarDay, type BusinessHours } from "@parley/contract";
import { isTimeZone } from "@parley/contract/display";
import { refuseChange, type SectionRules } from "./section.ts";
import type { BusinessHoursSetting, OrgGroup } from "./state.ts";

/** @assumed The spans of a day are in order and don't overlap. A span over midnight is written as two, one on each day. */
const checkWeek = (week: BusinessHours["week"], place: string) => {
  for (const [day, spans] of Object.entries(week))
    for (const [index, { from, to }] of spans.entries()) {
      const at = `${place}.week.${day}[${index}]`;
      if (from >= to) refuseChange(`${at}.to`, `must be later than ${from}: write hours past midnight on both days`);
      const before = spans[index - 1];
      if (before && before.to > from)
        refuseChange(`${at}.from`, `must not be earlier than ${before.to}, where the span before ends`);
    }
};

/** Hours in the document replace the hours of the group or account completely. */
export const hoursRules = (groups: readonly OrgGroup[]): SectionRules<BusinessHours, BusinessHoursSetting> => {
  const idOf = (name: string | undefined): string | undefined =>
    name === undefined ? "" : groups.find((group) => group.name === name)?.id;
  return {
    section: "business_hours",
    nameOf: ({ id }) => groups.find((group) => group.id === id)?.name ?? "the account",
    matches: ({ group }, { id }) => idOf(group) === id,
    merge: (_, { group, ...item }, { place }) => {
      if (!isTimeZone(item.timezone)) refuseChange(`${place}.timezone`, "must be a time zone such as Europe/Berlin");
      checkWeek(item.week, place);
      for (const [index, day] of (item.holidays ?? []).entries())
        if (!isCalendarDay(day)) refuseChange(`${place}.holidays[${index}]`, `must be a day that there is, not ${day}`);
      const id =
        idOf(group) ?? refuseChange(`${place}.group`, `names no group of the account: there is no ${String(group)}`);
      return { ...item, id };
    },
  };
};
