import { useId } from "react";
import { IconButton } from "../../ui/button.tsx";
import { FieldGroup } from "../../ui/field-group.tsx";
import field from "../../ui/field.module.css";
import { Menu } from "../../ui/menu.tsx";
import { dayName } from "./day-names.ts";
import {
  copiedTo,
  dayProblem,
  DAYS,
  normalizedTime,
  WORKDAYS,
  type Weekday,
  type OpeningSpan,
  type Week,
} from "./hours-values.ts";
import styles from "./hours.module.css";
import { hoursMessages as texts } from "./messages.ts";

interface SpanRowProps {
  readonly name: string;
  /** From 1. */
  readonly number: number;
  readonly span: OpeningSpan;
  readonly problemId: string;
  readonly isInvalid: boolean;
  readonly onChange: (span: OpeningSpan) => void;
  readonly onRemove: () => void;
}

/** Opening hours from a time to another time. */
const SpanRow = ({ name, number, span, problemId, isInvalid, onChange, onRemove }: SpanRowProps) => {
  const input = (member: "from" | "to", label: string) => (
    <input
      className={field.input}
      inputMode="numeric"
      aria-label={label}
      aria-invalid={isInvalid}
      aria-describedby={problemId}
      value={span[member]}
      onChange={({ currentTarget }) => onChange({ ...span, [member]: currentTarget.value })}
      onBlur={() => onChange({ ...span, [member]: normalizedTime(span[member]) ?? span[member] })}
    />
  );
  return (
    <div className={styles.span}>
      {input("from", texts.from(name, number))}
      <span aria-hidden>{texts.until}</span>
      {input("to", texts.to(name, number))}
      <IconButton icon="trash" label={texts.removeSpan(name, number)} onPress={onRemove} />
    </div>
  );
};

interface DayEditorProps {
  readonly day: Weekday;
  readonly spans: readonly OpeningSpan[];
  readonly problem: string | undefined;
  readonly onChange: (spans: readonly OpeningSpan[]) => void;
  readonly onCopy: (days: readonly Weekday[]) => void;
}

/** Hours to offer: office hours, or the rest of a day with hours. */
const nextSpan = (spans: readonly OpeningSpan[]): OpeningSpan =>
  spans.length === 0 ? { from: "09:00", to: "17:00" } : { from: spans.at(-1)?.to ?? "", to: "24:00" };

const DayEditor = ({ day, spans, problem, onChange, onCopy }: DayEditorProps) => {
  const id = useId();
  const name = dayName(day);
  return (
    <div role="group" aria-label={name} className={styles.day}>
      <span className={styles.dayName}>{name}</span>
      {spans.length === 0 ? (
        <span className={styles.closed}>{texts.closed}</span>
      ) : (
        <div className={styles.spans}>
          {spans.map((span, index) => (
            <SpanRow
              key={index}
              name={name}
              number={index + 1}
              span={span}
              problemId={id}
              isInvalid={problem !== undefined}
              onChange={(next) => onChange(spans.map((each, place) => (place === index ? next : each)))}
              onRemove={() => onChange(spans.toSpliced(index, 1))}
            />
          ))}
        </div>
      )}
      <div className={styles.tools}>
        <IconButton icon="plus" label={texts.addSpan(name)} onPress={() => onChange([...spans, nextSpan(spans)])} />
        <Menu
          label={texts.copy(name)}
          groups={[
            {
              actions: [
                { id: "workdays", label: texts.copyToWorkdays, onAction: () => onCopy(WORKDAYS) },
                { id: "all", label: texts.copyToAll, onAction: () => onCopy(DAYS) },
              ],
            },
          ]}
        >
          <IconButton icon="copy" label={texts.copy(name)} />
        </Menu>
      </div>
      <span id={id} role={problem === undefined ? undefined : "alert"} className={`${field.error} ${styles.problem}`}>
        {problem}
      </span>
    </div>
  );
};

interface WeekEditorProps {
  readonly week: Week;
  readonly onChange: (week: Week) => void;
  /** Whether the days show their problems. */
  readonly isChecked: boolean;
}

/** The opening hours of each day. The hours of one day can be copied to others. */
export const WeekEditor = ({ week, onChange, isChecked }: WeekEditorProps) => (
  <FieldGroup label={texts.week} help={texts.weekHelp}>
    <div className={styles.days}>
      {DAYS.map((day) => (
        <DayEditor
          key={day}
          day={day}
          spans={week[day]}
          problem={isChecked ? dayProblem(week[day]) : undefined}
          onChange={(spans) => onChange({ ...week, [day]: spans })}
          onCopy={(days) => onChange(copiedTo(week, day, days))}
        />
      ))}
    </div>
  </FieldGroup>
);
