import { currentTime } from "./ports.ts";

/** Formats times, languages and errors for agents. */

const isToday = (time: Date): boolean => time.toDateString() === currentTime().toDateString();

/** The time of day, with the date if it is not today. */
const formatTime = (iso: string): string => {
  const time = new Date(iso);
  const hour = { hour: "2-digit", minute: "2-digit" } as const;
  if (isToday(time)) return time.toLocaleTimeString([], hour);
  return time.toLocaleString([], { day: "numeric", month: "short", year: "numeric", ...hour });
};

export const formatDay = (iso: string): string => new Date(iso).toLocaleDateString([], { dateStyle: "medium" });

export const drawTime = (element: HTMLTimeElement, iso: string, text = formatTime(iso)): void => {
  if (element.dateTime !== iso) element.dateTime = iso;
  if (element.textContent !== text) element.textContent = text;
};

/** "German" for "de", if the browser knows the language. */
export const formatLanguage = (code: string): string => {
  try {
    return new Intl.DisplayNames([], { type: "language" }).of(code) ?? code;
  } catch {
    return code;
  }
};

const STATUS_LABELS: Readonly<Record<string, string>> = {
  new: "New",
  assigned: "Assigned",
  resolved: "Resolved",
  reopened: "Reopened",
};
export const formatStatus = (status: string): string => STATUS_LABELS[status] ?? status;

/** The client's promises reject with an object, the browser's with an Error. */
export const failureOf = (error: unknown): { readonly status: number; readonly message: string } => {
  const { status, message } = (error ?? {}) as { readonly status?: unknown; readonly message?: unknown };
  return {
    status: typeof status === "number" ? status : 0,
    message: typeof message === "string" && message ? message : "Something has failed here.",
  };
};
