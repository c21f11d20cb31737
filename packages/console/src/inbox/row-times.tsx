import { formatDateTime, formatDuration, formatListTime } from "../i18n/format.ts";
import { Icon } from "../ui/icon.tsx";
import styles from "./list-row.module.css";
import { inboxMessages as texts } from "./messages.ts";
import { useMinute } from "./minute.ts";

/** @units milliseconds */
const HOUR_MS = 3_600_000;

/** When something happened: how long ago within the last hour. */
export const ListTime = ({ time }: { readonly time: string }) => {
  const now = useMinute();
  const isRecent = now - Date.parse(time) < HOUR_MS;
  return (
    <time dateTime={time} title={formatDateTime(time)} className={styles.time}>
      {isRecent ? formatDuration(time, now) : formatListTime(time, now)}
    </time>
  );
};

/** How long the customer has waited for an answer. */
export const WaitingTime = ({ since }: { readonly since: string }) => {
  const now = useMinute();
  return (
    <span className={styles.waiting} title={texts.waitingSince(formatDateTime(since))}>
      <Icon name="clock" />
      <span className="visually-hidden">{texts.waiting} </span>
      {formatDuration(since, now)}
    </span>
  );
};
