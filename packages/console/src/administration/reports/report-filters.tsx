import { Button } from "../../ui/button.tsx";
import { Select } from "../../ui/select.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { agentName, useWorkspace } from "../../workspace/workspace.ts";
import { reportMessages as texts } from "./messages.ts";
import {
  AGGREGATORS,
  GROUPINGS,
  INTERVALS,
  SPANS,
  withSpan,
  type ReportGrouping,
  type ReportView,
  type ReportSpan,
} from "./report-view.ts";
import type { ReportZone } from "./time-zone.ts";
import styles from "./reports.module.css";

const GROUPING_TEXTS: Readonly<Record<ReportGrouping, string>> = {
  none: texts.none,
  group: texts.byGroup,
  agent: texts.byAgent,
};
const spanText = (span: ReportSpan): string => (span === "custom" ? texts.custom : texts.lastDays(Number(span)));

interface ChoiceOfProps<T extends string> {
  readonly label: string;
  readonly values: readonly T[];
  readonly textOf: (value: T) => string;
  readonly value: T;
  readonly onChange: (value: T) => void;
}

const ChoiceOf = <T extends string>({ label, values, textOf, value, onChange }: ChoiceOfProps<T>) => (
  <Select label={label} choices={values.map((id) => ({ id, label: textOf(id) }))} value={value} onChange={onChange} />
);

interface ReportFiltersProps {
  readonly view: ReportView;
  readonly onChange: (view: ReportView) => void;
  readonly onRefresh: () => void;
  readonly zone: ReportZone;
  /** Why the chosen dates are not a span. */
  readonly problem: string | undefined;
}

/** The span, its intervals, the summary of durations, and the compared and counted values. */
export const ReportFilters = ({ view, onChange, onRefresh, zone, problem }: ReportFiltersProps) => {
  const { groups, agents } = useWorkspace();
  const change = (part: Partial<ReportView>): void => onChange({ ...view, ...part });
  const date = (name: "from" | "to") => ({
    label: texts[name],
    type: "date",
    value: view[name],
    onChange: (value: string) => change({ [name]: value }),
  });
  return (
    <div role="group" aria-label={texts.filters} className={styles.filters}>
      <ChoiceOf
        label={texts.span}
        values={SPANS}
        textOf={spanText}
        value={view.span}
        onChange={(span) => onChange(withSpan(view, span, zone, Date.now()))}
      />
      {view.span === "custom" && (
        <>
          <TextField {...date("from")} />
          <TextField {...date("to")} error={problem} />
        </>
      )}
      <ChoiceOf
        label={texts.interval}
        values={INTERVALS}
        textOf={(interval) => texts[interval]}
        value={view.interval}
        onChange={(interval) => change({ interval })}
      />
      <ChoiceOf
        label={texts.aggregator}
        values={AGGREGATORS}
        textOf={(aggregator) => texts[aggregator]}
        value={view.aggregator}
        onChange={(aggregator) => change({ aggregator })}
      />
      <ChoiceOf
        label={texts.grouping}
        values={GROUPINGS}
        textOf={(grouping) => GROUPING_TEXTS[grouping]}
        value={view.grouping}
        onChange={(grouping) => change({ grouping })}
      />
      <Select
        label={texts.group}
        choices={[{ id: "", label: texts.allGroups }, ...groups.map(({ id, name }) => ({ id, label: name }))]}
        value={view.group}
        onChange={(group) => change({ group })}
      />
      <Select
        label={texts.agent}
        choices={[
          { id: "", label: texts.allAgents },
          ...agents.map((agent) => ({ id: agent.id, label: agentName(agent) })),
        ]}
        value={view.agent}
        onChange={(agent) => change({ agent })}
      />
      <Button onPress={onRefresh}>{texts.refresh}</Button>
    </div>
  );
};
