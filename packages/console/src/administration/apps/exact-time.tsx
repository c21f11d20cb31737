import { currentLanguage, regionalFormOf } from "../../i18n/language.ts";
import styles from "./apps.module.css";

const exact = new Intl.DateTimeFormat(regionalFormOf(currentLanguage(), navigator.languages), {
  dateStyle: "medium",
  timeStyle: "medium",
});

/** A time to the second: calls of an app follow each other within a minute. */
export const formatExactTime = (time: string): string => exact.format(new Date(time));

/** The same in a table, on one line. */
export const ExactTime = ({ time }: { readonly time: string }) => (
  <span className={styles.time}>{formatExactTime(time)}</span>
);
