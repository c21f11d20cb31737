import type { AccountDocument, BusinessHours } from "@parley/contract";
import { Select } from "../../ui/select.tsx";
import { useAccountDocument } from "../account-document.ts";
import shared from "../administration.module.css";
import { DocumentPage } from "../document-page.tsx";
import { administrationMessages } from "../messages.ts";
import type { Column } from "../record-table.tsx";
import type { FieldProps } from "../../forms/schema-fields.tsx";
import { SearchSelect } from "../search-select.tsx";
import { dayName } from "./day-names.ts";
import { HolidaysEditor } from "./holidays-editor.tsx";
import { hoursForm, type HoursValues } from "./hours-form.ts";
import { openDays, spansText, weekOf } from "./hours-values.ts";
import { hoursMessages as texts } from "./messages.ts";
import { timeZoneChoices } from "./time-zones.ts";
import { WeekEditor } from "./week-editor.tsx";

/** Stands for the account, which has no name here. */
const ACCOUNT = "account";
const idOf = (group: string): string => (group === "" ? ACCOUNT : `group ${group}`);

const ownerName = (group = ""): string => group || texts.account;

const Opening = ({ week }: BusinessHours) => {
  const ranges = openDays(weekOf((day) => week[day] ?? []));
  if (ranges.length === 0) return texts.always;
  return (
    <>
      {ranges.map(({ first, last, spans }) => (
        <div key={first}>
          {first === last ? dayName(first) : texts.range(dayName(first), dayName(last))}: {spansText(spans)}
        </div>
      ))}
    </>
  );
};

const COLUMNS: readonly Column<BusinessHours>[] = [
  { id: "owner", label: texts.owner, cell: ({ group }) => ownerName(group) },
  { id: "week", label: texts.week, cell: Opening },
  { id: "timezone", label: texts.timezone, cell: ({ timezone }) => timezone.replaceAll("_", " ") },
  { id: "holidays", label: texts.holidays, cell: ({ holidays = [] }) => texts.holidayCount(holidays.length) },
];

/** How a document names business hours that it removes. */
const removalOf = ({ group }: BusinessHours, { groups = [] }: AccountDocument): string =>
  group === undefined ? "the account" : (groups.find(({ name }) => name === group)?.id ?? group);

/** Names of groups without business hours; an empty one is the account. */
const freeIn = ({ groups = [], business_hours: list = [] }: AccountDocument): readonly string[] =>
  ["", ...groups.map(({ name }) => name)].filter((name) => list.every(({ group = "" }) => group !== name));

interface OwnerFieldProps extends FieldProps<HoursValues, string> {
  readonly free: readonly string[];
}

const OwnerField = ({ value, onChange, free }: OwnerFieldProps) => (
  <Select
    label={texts.owner}
    choices={free.map((group) => ({ id: idOf(group), label: ownerName(group) }))}
    value={idOf(value)}
    onChange={(id) => free.filter((group) => idOf(group) === id).forEach(onChange)}
    autoFocus
  />
);

/** When the account and its groups are open. */
export const HoursPage = () => {
  const account = useAccountDocument();
  return (
    <DocumentPage
      section="business_hours"
      account={account}
      title={administrationMessages.hours}
      intro={administrationMessages.hoursIntro}
      icon="clock"
      texts={texts}
      above={(document) => (
        <p className={shared.notice}>
          {texts.fallback} {freeIn(document).length === 0 && texts.all}
        </p>
      )}
      mayCreate={(document) => freeIn(document).length > 0}
      idOf={({ group = "" }) => group}
      nameOf={({ group }) => ownerName(group)}
      removalOf={removalOf}
      removeText={({ group }) => (group === undefined ? texts.removeAccountText : texts.removeGroupText)}
      columns={COLUMNS}
      keptAt="business hours"
      isWide
      form={(hours, document) => hoursForm(hours, freeIn(document))}
      widgets={(_hours, document) => ({
        group: (props) => <OwnerField {...props} free={freeIn(document)} />,
        timezone: ({ value, onChange }) => (
          <SearchSelect label={texts.timezone} choices={timeZoneChoices(value)} value={value} onChange={onChange} />
        ),
        week: ({ value, problem, onChange }) => (
          <WeekEditor week={value} onChange={onChange} isChecked={problem !== undefined} />
        ),
        holidays: ({ value, onChange }) => <HolidaysEditor holidays={value} onChange={onChange} />,
      })}
    />
  );
};
