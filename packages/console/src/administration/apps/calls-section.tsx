import type { InvocationSummary, RaisableEvent } from "@parley/contract";
import { useInfiniteQuery, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Select } from "../../ui/select.tsx";
import administration from "../administration.module.css";
import { LoadState } from "../load-state.tsx";
import { RecordTable, type Column } from "../record-table.tsx";
import { activityMessages as texts } from "./activity-messages.ts";
import { activityKey, callsQuery, eventsQuery, type AppOfAccount } from "./activity-query.ts";
import {
  everyCall,
  jsonText,
  PERIODS,
  raisedAgain,
  type CallFilter,
  type Period,
  type RaiseValues,
} from "./activity-values.ts";
import styles from "./apps.module.css";
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
  { id: "all", label: texts.everyResult },
  { id: "succeeded", label: texts.succeeded },
  { id: "failed", label: texts.failed },
] as const;

const columnsOf = (onShow: (call: InvocationSummary) => void): readonly Column<InvocationSummary>[] => [
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
  {
    id: "actions",
    label: texts.actions,
    isAction: true,
    cell: (call) => (
      <Button isSmall aria-label={texts.showCall(call.event, formatExactTime(call.begun))} onPress={() => onShow(call)}>
        {texts.show}
      </Button>
    ),
  },
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
      choices={[{ id: "all", label: texts.everyEvent }, ...events.map(({ event }) => ({ id: event, label: event }))]}
      value={filter.event === "" ? "all" : filter.event}
      onChange={(id) => onChange({ ...filter, event: id === "all" ? "" : id })}
    />
    <Select
      label={texts.result}
      choices={RESULT_CHOICES}
      value={filter.result === "" ? "all" : filter.result}
      onChange={(id) => onChange({ ...filter, result: id === "succeeded" || id === "failed" ? id : "" })}
    />
    <Select
      label={texts.since}
      choices={PERIOD_CHOICES}
      value={filter.period}
      onChange={(id) => onChange({ ...filter, period: PERIOD_CHOICES.find((each) => each.id === id)?.id ?? "any" })}
    />
  </>
);

/** Calls of the app's handlers, and raising its events. */
export const CallsSection = ({ app }: { readonly app: AppOfAccount }) => {
  const queries = useQueryClient();
  const [filter, setFilter] = useState(everyCall);
  const [shown, setShown] = useState<Pick<InvocationSummary, "id" | "event">>();
  const [raised, setRaised] = useState<RaiseValues>();
  const events = useQuery(eventsQuery(app)).data ?? [];
  const { data, error, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery(
    callsQuery(app, filter),
  );
  const calls = data?.pages.flatMap(({ invocations }) => invocations);
  const [first] = events;
  const refresh = (): void => void queries.invalidateQueries({ queryKey: activityKey(app) });
  return (
    <section className={styles.section}>
      <h2 className={styles.heading}>{texts.calls}</h2>
      <p className={administration.muted}>{texts.callsIntro}</p>
      <div className={`${administration.tools} ${styles.filters}`}>
        <Filters filter={filter} events={events} onChange={setFilter} />
        <Button onPress={refresh}>{texts.refresh}</Button>
        {first && (
          <Button icon="play" onPress={() => setRaised({ event: first.event, payload: jsonText(first.sample) })}>
            {texts.raise}
          </Button>
        )}
      </div>
      <LoadState query={{ data: calls, error, refetch }}>
        {(found) =>
          found.length === 0 ? (
            <EmptyState icon="play" title={texts.noCalls}>
              <p>{texts.noCallsText}</p>
            </EmptyState>
          ) : (
            <RecordTable label={texts.calls} columns={columnsOf(setShown)} records={found} idOf={({ id }) => id} />
          )
        }
      </LoadState>
      {hasNextPage && (
        <div className={styles.more}>
          <Button isDisabled={isFetchingNextPage} onPress={() => void fetchNextPage()}>
            {texts.more}
          </Button>
        </div>
      )}
      {shown && (
        <CallDialog
          app={app}
          call={shown}
          onClose={() => setShown(undefined)}
          onRaiseAgain={
            events.some(({ event }) => event === shown.event)
              ? (call) => {
                  setShown(undefined);
                  setRaised(raisedAgain(call));
                }
              : undefined
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
    </section>
  );
};
