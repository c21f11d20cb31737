import type { BusinessHours } from "@parley/contract";
import { Select } from "../../ui/select.tsx";
import { showToast } from "../../ui/toast-store.ts";
import type { AccountConfigurationState } from "../account-document.ts";
import { FormDialog } from "../form-dialog.tsx";
import { SearchSelect } from "../search-select.tsx";
import { useEntryForm } from "../use-entry-form.ts";
import { HolidaysEditor } from "./holidays-editor.tsx";
import { newHours, hoursProblemsOf, hoursSettingOf, hoursValuesOf, type HoursValues } from "./hours-values.ts";
import { hoursMessages as texts } from "./messages.ts";
import { ownTimeZone, timeZoneChoices } from "./time-zones.ts";
import { WeekEditor } from "./week-editor.tsx";

/** Stands for the account, which has no name here. */
const ACCOUNT = "account";
const idOf = (group: string): string => (group === "" ? ACCOUNT : `group ${group}`);

export const ownerName = (group = ""): string => group || texts.account;

const LABELS: Readonly<Record<keyof HoursValues, string>> = {
  group: texts.owner,
  timezone: texts.timezone,
  week: texts.week,
  holidays: texts.holidays,
};

interface HoursDialogProps extends Pick<AccountConfigurationState, "change" | "reread"> {
  /** Undefined for new hours. */
  readonly hours: BusinessHours | undefined;
  /** All business hours. */
  readonly list: readonly BusinessHours[];
  /** Names of groups without business hours; an empty one is the account. */
  readonly free: readonly string[];
  readonly onClose: () => void;
}

/** The fields of business hours. */
export const HoursDialog = ({ hours, list, free, change, reread, onClose }: HoursDialogProps) => {
  const valuesIn = (all: readonly BusinessHours[] = [], owner = ""): HoursValues | undefined => {
    const found = all.find(({ group = "" }) => group === owner);
    return found && hoursValuesOf(found);
  };
  const form = useEntryForm({
    keptAt: `business hours ${hours ? (hours.group ?? "account") : "new"}`,
    initial: hours ? hoursValuesOf(hours) : newHours(free[0] ?? "", ownTimeZone()),
    isNew: hours === undefined,
    present: hours && valuesIn(list, hours.group),
    reread: async ({ group }) => valuesIn((await reread()).business_hours, group),
    check: hoursProblemsOf,
    labelOf: (member) => LABELS[member as keyof HoursValues],
    async save(values) {
      await change({ business_hours: [hoursSettingOf(values)] });
      showToast(texts.saved(ownerName(values.group)));
      onClose();
    },
  });
  const { values, problems } = form;
  return (
    <FormDialog
      title={hours ? texts.editTitle(ownerName(hours.group)) : texts.newTitle}
      isWide
      form={form}
      onClose={onClose}
    >
      {!hours && (
        <Select
          label={texts.owner}
          choices={free.map((group) => ({ id: idOf(group), label: ownerName(group) }))}
          value={idOf(values.group)}
          onChange={(id) => free.filter((group) => idOf(group) === id).forEach((group) => form.change({ group }))}
          autoFocus
        />
      )}
      <SearchSelect
        label={texts.timezone}
        choices={timeZoneChoices(values.timezone)}
        value={values.timezone}
        onChange={(timezone) => form.change({ timezone })}
      />
      <WeekEditor
        week={values.week}
        onChange={(week) => form.change({ week })}
        isChecked={problems.week !== undefined}
      />
      <HolidaysEditor holidays={values.holidays} onChange={(holidays) => form.change({ holidays })} />
    </FormDialog>
  );
};
