import type { InvocationSummary, RaisableEvent } from "@parley/contract";
import { useInfiniteQuery, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Select } from "../../ui/select.tsx";
import administration from "../administration.module.css";
import { LoadState, MoreButton } from "../load-state.tsx";
import { RecordTable, type Column } from "../record-table.tsx";
import { Section } from "../section.tsx";
import { activityMessages as texts } from "./activity-messages.ts";
import { activityKey, callsQuery, eventsQuery, type AppOfAccount } from "./activity-query.ts";
import {
  eventName,
  everyCall,
  jsonText,
  PERIODS,
  raisableId,
  raisableOf,
  raisedAgain,
  type CallFilter,
  type Period,
  type RaiseValues,
} from "./activity-values.ts";
import { ExactTime, formatExactTime } from "./exact-time.tsx";
import { CallDialog } from "./call-dialog.tsx";
import { RaiseDialog } from "./raise-dialog.tsx";

const PERIOD_TEXTS: Readonly<Record<Period, string>> = {
  any: texts.anyTime,
  hour: texts.lastHour,
  day: texts.lastDay,
  week: texts.lastWeek,
};
const PERIOD_CHOICES = (Object.keys(PERIODS) as Period[]).map((id) => ({ id, label: PERIOD_TEXTS[id] }));
const RESULT_CHOICES = [
  { id: "", label: texts.everyResult },
  { id: "succeeded", label: texts.succeeded },
  { id: "failed", label: texts.failed },
] as const;

const COLUMNS: readonly Column<InvocationSummary>[] = [
  { id: "time", label: texts.time, cell: ({ begun }) => <ExactTime time={begun} /> },
  {
    id: "event",
    label: texts.event,
    cell: ({ event, handler }) => (
      <>
        {event}
        <span className={administration.detail}>{handler}</span>
      </>
    ),
  },
  {
    id: "result",
    label: texts.result,
    cell: ({ ok, error }) => (
      <>
        <Badge tone={ok ? "success" : "danger"}>{ok ? texts.succeeded : texts.failed}</Badge>
        {error !== undefined && <span className={administration.detail}>{error}</span>}
      </>
    ),
  },
  { id: "duration", label: texts.duration, cell: ({ ms }) => texts.ms(ms) },
];

interface FiltersProps {
  readonly filter: CallFilter;
  readonly events: readonly RaisableEvent[];
  readonly onChange: (filter: CallFilter) => void;
}

const Filters = ({ filter, events, onChange }: FiltersProps) => (
  <>
    <Select
      label={texts.event}
      choices={[
        { id: "", label: texts.everyEvent },
        ...[...new Set(events.map(eventName))].map((name) => ({ id: name, label: name })),
      ]}
      value={filter.event}
      onChange={(event) => onChange({ ...filter, event })}
    />
    <Select
      label={texts.result}
      choices={RESULT_CHOICES}
      value={filter.result}
      onChange={(result) => onChange({ ...filter, result })}
    />
    <Select
      label={texts.since}
      choices={PERIOD_CHOICES}
      value={filter.period}
      onChange={(period) => onChange({ ...filter, period })}
    />
  </>
);

/** Calls of the app's handlers, and raising its events. */
export const CallsSection = ({ app }: { readonly app: AppOfAccount }) => {
  const queries = useQueryClient();
  const [filter, setFilter] = useState(everyCall);
  const [shown, setShown] = useState<InvocationSummary>();
  const [raised, setRaised] = useState<RaiseValues>();
  const events = useQuery(eventsQuery(app)).data ?? [];
  const query = useInfiniteQuery(callsQuery(app, filter));
  const first = events.find(({ kind }) => kind !== "set-up") ?? events[0];
  const shownEvent = shown && raisableOf(events, shown);
  const refresh = (): void => void queries.invalidateQueries({ queryKey: activityKey(app) });
  return (
    <Section title={texts.calls} intro={texts.callsIntro}>
      <div className={administration.tools}>
        <Filters filter={filter} events={events} onChange={setFilter} />
        <Button onPress={refresh}>{texts.refresh}</Button>
        {first && (
          <Button icon="play" onPress={() => setRaised({ event: raisableId(first), payload: jsonText(first.sample) })}>
            {texts.raise}
          </Button>
        )}
      </div>
      <LoadState query={query}>
        {({ pages }) => (
          <RecordTable
            label={texts.calls}
            columns={COLUMNS}
            records={pages.flatMap(({ invocations }) => invocations)}
            idOf={({ id }) => id}
            actions={(call) => (
              <Button
                isSmall
                aria-label={texts.showCall(call.event, formatExactTime(call.begun))}
                onPress={() => setShown(call)}
              >
                {texts.show}
              </Button>
            )}
            empty={<EmptyState icon="play" title={texts.noCalls} text={texts.noCallsText} />}
          />
        )}
      </LoadState>
      <MoreButton query={query} label={texts.more} />
      {shown && (
        <CallDialog
          app={app}
          call={shown}
          onClose={() => setShown(undefined)}
          onRaiseAgain={
            shownEvent &&
            ((call) => {
              setShown(undefined);
              setRaised(raisedAgain(shownEvent, call));
            })
          }
        />
      )}
      {raised && (
        <RaiseDialog
          app={app}
          events={events}
          initial={raised}
          onClose={() => setRaised(undefined)}
          onRaised={(call) => {
            setRaised(undefined);
            setShown(call);
            refresh();
          }}
        />
      )}
    </Section>
  );
};
