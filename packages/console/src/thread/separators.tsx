import { formatDay, formatTimeOfDay } from "../i18n/format.ts";
import { threadMessages as texts } from "./messages.ts";
import type { SeparatorsBefore as RowSeparators } from "./rows.ts";
import styles from "./thread.module.css";

interface SeparatorsProps {
  readonly separators: RowSeparators;
  /** Time of the message below. */
  readonly time: string;
}

/** Separators between a message and the message before it: the day, the beginning of an interaction, the first unread message. */
export const Separators = ({ separators: { day, interaction, unread }, time }: SeparatorsProps) => (
  <>
    {interaction && (
      <p className={styles.interaction}>
        <span>{texts.newInteraction}</span>
      </p>
    )}
    {day && (
      <h2 className={styles.day}>
        <time dateTime={time}>{formatDay(time)}</time>
      </h2>
    )}
    {unread && (
      <p className={styles.unread}>
        <span>{texts.unread}</span>
        <span className="visually-hidden">{formatTimeOfDay(time)}</span>
      </p>
    )}
  </>
);
