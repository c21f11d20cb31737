import type { Statement } from "@parley/database";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** The longest range that a report may be asked for. @assumed One month is 31 days. */
export const REPORT_SPANS = { day: { ms: DAY, words: "24 hours" }, month: { ms: 31 * DAY, words: "31 days" } } as const;

/**
 * How long a stretch is that becomes one file. @units milliseconds
 * @assumed Files of six hours of a transcript, of a day of messages, of a week of all else; what is added up is one file.
 */
export const REPORT_STEPS = { sixHours: 6 * HOUR, day: DAY, week: 7 * DAY, whole: Infinity } as const;

/** What a report of an event is made of: the rows, and what their cells show. */
interface EventRule<R> {
  readonly span: keyof typeof REPORT_SPANS;
  readonly step: keyof typeof REPORT_STEPS;
  /** Its rows are told from the log of events, some time after it. */
  readonly fromFacts?: true;
  /** How much of a stretch is read, and sorted, at a time. @units milliseconds */
  readonly slice?: number;
  /** Takes the account, the beginning (inclusive) and the end (exclusive). */
  readonly rows: Statement;
  /** What a row of the statement is worked up into before its columns are asked; itself when absent. */
  readonly read?: (row: never) => R;
  readonly columns: readonly ReportColumn<R>[];
}

/** The same without the type of its rows. */
export interface EventReport extends Omit<EventRule<never>, "columns" | "read"> {
  readonly header: readonly string[];
  cells(row: unknown, stretch: ReportStretch, withoutPii: boolean): string[];
}

/** Joins a statement to the columns that show its rows: here the rows' type is erased. */
export const eventReport = <R>({ columns, read, ...rule }: EventRule<R>): EventReport => ({
  ...rule,
  header: columns.map(({ name }) => name),
  cells: (row, stretch, withoutPii) => cellsOf(columns, read ? read(row as never) : (row as R), stretch, withoutPii),
});

/** Messages are many: a transcript is sorted hour by hour. @units milliseconds */
export const MESSAGE_SLICE = HOUR;

/** What a cell can hold before it is text. */
export type ReportCell = string | number | boolean | Date | null | undefined;

/** An agent as reports name one; a deleted one has an id and nothing else. */
export interface NamedAgent {
  readonly email: string;
  readonly first_name: string | null;
  readonly last_name: string | null;
}

/** What ids in the rows stand for, as it is when the report is made. */
export interface ReportNames {
  agent(id: string | null): NamedAgent | undefined;
  group(id: string | null): string | undefined;
  channel(id: string | null): string | undefined;
}

/** What a stretch of a report is of. */
export interface ReportStretch {
  readonly names: ReportNames;
  /** Inclusive. */
  readonly from: Date;
  /** Exclusive. */
  readonly to: Date;
  conversationUrl(id: string): string;
}

/** One column of a file. */
export interface ReportColumn<R> {
  readonly name: string;
  /** What a person says or is called or reached by: left empty in a report that should exclude it. */
  readonly pii?: true;
  readonly value: (row: R, stretch: ReportStretch) => ReportCell;
}

const textOf = (cell: ReportCell): string => {
  if (cell === null || cell === undefined) return "";
  return cell instanceof Date ? cell.toISOString() : String(cell);
};

/** The cells of a row as text, in the columns' order. */
const cellsOf = <R>(
  columns: readonly ReportColumn<R>[],
  row: R,
  stretch: ReportStretch,
  withoutPii: boolean,
): string[] => columns.map(({ pii, value }) => (withoutPii && pii ? "" : textOf(value(row, stretch))));

/** What rows about a conversation share. */
export interface AboutConversation {
  readonly conversation_id: string;
  readonly interaction_id: string;
}

const fullName = (agent: NamedAgent | undefined): string =>
  [agent?.first_name, agent?.last_name].filter(Boolean).join(" ");

/** `agent_id`, `agent_name`; `from` tells a second agent apart. */
export const agentColumns = <R>(id: (row: R) => string | null, prefix = ""): readonly ReportColumn<R>[] => [
  { name: `${prefix}agent_id`, value: id },
  { name: `${prefix}agent_name`, pii: true, value: (row, { names }) => fullName(names.agent(id(row))) },
];

export const agentEmail = <R extends { readonly agent_id: string | null }>(): ReportColumn<R> => ({
  name: "agent_email",
  pii: true,
  value: ({ agent_id }, { names }) => names.agent(agent_id)?.email,
});

/** `group_id`, `group_name`. */
export const groupColumns = <R>(id: (row: R) => string | null, prefix = ""): readonly ReportColumn<R>[] => [
  { name: `${prefix}group_id`, value: id },
  { name: `${prefix}group_name`, value: (row, { names }) => names.group(id(row)) },
];

/** `channel_id`, `channel_name`. */
export const channelColumns = <R extends { readonly channel_id: string }>(): readonly ReportColumn<R>[] => [
  { name: "channel_id", value: ({ channel_id }) => channel_id },
  { name: "channel_name", value: ({ channel_id }, { names }) => names.channel(channel_id) },
];

/** `conversation_id`, `interaction_id`. */
export const conversationColumns = <R extends AboutConversation>(): readonly ReportColumn<R>[] => [
  { name: "conversation_id", value: ({ conversation_id }) => conversation_id },
  { name: "interaction_id", value: ({ interaction_id }) => interaction_id },
];

/** `conversation_url`, as in the conversation object. */
export const conversationUrl = <R extends { readonly conversation_id: string }>(): ReportColumn<R> => ({
  name: "conversation_url",
  value: ({ conversation_id }, stretch) => stretch.conversationUrl(conversation_id),
});

/** A time between two moments; a clock that was set back makes none negative. @units seconds */
export const secondsBetween = (from: Date, to: Date | null): number | null =>
  to && Math.max(0, to.getTime() - from.getTime()) / 1000;

/** To three places: seconds to the millisecond. */
export const rounded = (value: number | null): number | null => value && Math.round(value * 1000) / 1000;
