import type { AccountDocument, BusinessHours } from "@parley/contract";
import { useState } from "react";
import { Button, IconButton } from "../../ui/button.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { showToast } from "../../ui/toast-store.ts";
import { useAccountDocument, type AccountConfigurationState } from "../account-document.ts";
import shared from "../administration.module.css";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { LoadState } from "../load-state.tsx";
import { administrationMessages } from "../messages.ts";
import { PageHeader } from "../page-header.tsx";
import { RecordTable, type Column } from "../record-table.tsx";
import { useOpenedEntry } from "../use-opened-entry.ts";
import { dayName } from "./day-names.ts";
import { HoursDialog, ownerName } from "./hours-dialog.tsx";
import { openDays, spansText, hoursValuesOf } from "./hours-values.ts";
import { hoursMessages as texts } from "./messages.ts";

const Opening = (hours: BusinessHours) => {
  const ranges = openDays(hoursValuesOf(hours).week);
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
const removalOf = ({ group }: BusinessHours, groups: AccountDocument["groups"] = []): string =>
  group === undefined ? "the account" : (groups.find(({ name }) => name === group)?.id ?? group);

interface HoursProps extends Pick<AccountConfigurationState, "change" | "remove" | "reread"> {
  readonly document: AccountDocument;
}

const Hours = ({ document: { groups = [], business_hours: list = [] }, change, remove, reread }: HoursProps) => {
  const { opened, open, close } = useOpenedEntry(
    async () => (await reread()).business_hours ?? [],
    ({ group = "" }) => group,
  );
  const [removed, setRemoved] = useState<BusinessHours>();
  const free = ["", ...groups.map(({ name }) => name)].filter((name) => list.every(({ group = "" }) => group !== name));
  const columns: readonly Column<BusinessHours>[] = [
    ...COLUMNS,
    {
      id: "actions",
      label: texts.actions,
      isAction: true,
      cell: (hours) => (
        <>
          <IconButton icon="edit" label={texts.edit(ownerName(hours.group))} onPress={() => open(hours)} />
          <IconButton icon="trash" label={texts.remove(ownerName(hours.group))} onPress={() => setRemoved(hours)} />
        </>
      ),
    },
  ];
  return (
    <>
      <PageHeader title={administrationMessages.hours} intro={administrationMessages.hoursIntro}>
        <Button variant="primary" icon="plus" isDisabled={free.length === 0} onPress={() => open("new")}>
          {texts.create}
        </Button>
      </PageHeader>
      <p className={shared.notice}>
        {texts.fallback} {free.length === 0 && texts.all}
      </p>
      {list.length === 0 ? (
        <EmptyState icon="clock" title={texts.none}>
          <p>{texts.noneText}</p>
        </EmptyState>
      ) : (
        <RecordTable
          label={administrationMessages.hours}
          columns={columns}
          records={list}
          idOf={({ group = "" }) => group}
        />
      )}
      {opened !== undefined && (
        <HoursDialog
          hours={opened === "new" ? undefined : opened}
          list={list}
          free={free}
          change={change}
          reread={reread}
          onClose={close}
        />
      )}
      {removed && (
        <ConfirmDialog
          title={texts.removeTitle(ownerName(removed.group))}
          text={removed.group === undefined ? texts.removeAccountText : texts.removeGroupText}
          action={texts.remove(ownerName(removed.group))}
          run={async () => {
            await remove("business_hours", removalOf(removed, groups));
            showToast(texts.removed(ownerName(removed.group)));
          }}
          onClose={() => setRemoved(undefined)}
        />
      )}
    </>
  );
};

/** When the account and its groups are open. */
export const HoursPage = () => {
  const { query, ...changes } = useAccountDocument();
  return (
    <div className={shared.page}>
      <LoadState query={query}>{(document) => <Hours document={document} {...changes} />}</LoadState>
    </div>
  );
};
