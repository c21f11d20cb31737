import type { Statement } from "@parley/database";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Maximum range of a report. @assumed One month is 31 days. */
export const REPORT_SPANS = {
  day: { ms: DAY_MS, words: "24 hours" },
  month: { ms: 31 * DAY_MS, words: "31 days" },
} as const;

/**
 * The period of one file. @units milliseconds
 * @assumed A file of a transcript covers six hours, of messages a day, of the others a week; an aggregated report is one file.
 */
export const FILE_PERIODS_MS = { sixHours: 6 * HOUR_MS, day: DAY_MS, week: 7 * DAY_MS, whole: Infinity } as const;

/** Definition of an event report: its rows and its columns. */
interface EventRule<R> {
  readonly span: keyof typeof REPORT_SPANS;
  readonly step: keyof typeof FILE_PERIODS_MS;
  /** The rows come from the analytics tables, which follow the event log with a delay. */
  readonly fromAnalytics?: true;
  /** Range that one query reads and sorts. @units milliseconds */
  readonly sliceMs?: number;
  /** Parameters: the account, the start (inclusive) and the end (exclusive). */
  readonly rows: Statement;
  /** Converts a row of the statement for the columns. Absent: the row itself. */
  readonly read?: (row: never) => R;
  readonly columns: readonly ReportColumn<R>[];
}

/** An event report without the type of its rows. */
export interface EventReport extends Omit<EventRule<never>, "columns" | "read"> {
  readonly header: readonly string[];
  cells(row: unknown, context: ReportFileContext, excludesPii: boolean): string[];
}

/** Combines a statement and the columns of its rows, and erases the type of the rows. */
export const eventReport = <R>({ columns, read, ...rule }: EventRule<R>): EventReport => ({
  ...rule,
  header: columns.map(({ name }) => name),
  cells: (row, context, excludesPii) => cellsOf(columns, read ? read(row as never) : (row as R), context, excludesPii),
});

/** A transcript is read and sorted hour by hour, since it has many rows. @units milliseconds */
export const MESSAGE_SLICE_MS = HOUR_MS;

/** The value of a cell before its conversion to text. */
export type ReportCell = string | number | boolean | Date | null | undefined;

/** The agent of an id. A deleted agent is known by its id alone. */
export interface NamedAgent {
  readonly email: string;
  readonly first_name: string | null;
  readonly last_name: string | null;
}

/** Resolves the ids in rows to names, with the names at the time when the report is made. */
export interface ReportNames {
  agent(id: string | null): NamedAgent | undefined;
  group(id: string | null): string | undefined;
  channel(id: string | null): string | undefined;
}

/** The period and context of one file of a report. */
export interface ReportFileContext {
  readonly names: ReportNames;
  /** Inclusive. */
  readonly from: Date;
  /** Exclusive. */
  readonly to: Date;
  conversationUrl(id: string): string;
}

/** A column of a file. */
export interface ReportColumn<R> {
  readonly name: string;
  /** Content, names and contact data of persons. The cell is empty in a report that excludes them. */
  readonly pii?: true;
  readonly value: (row: R, context: ReportFileContext) => ReportCell;
}

const textOf = (cell: ReportCell): string => {
  if (cell === null || cell === undefined) return "";
  return cell instanceof Date ? cell.toISOString() : String(cell);
};

/** The cells of a row as text, in column order. */
const cellsOf = <R>(
  columns: readonly ReportColumn<R>[],
  row: R,
  context: ReportFileContext,
  excludesPii: boolean,
): string[] => columns.map(({ pii, value }) => (excludesPii && pii ? "" : textOf(value(row, context))));

/** Ids of every row about a conversation. */
export interface AboutConversation {
  readonly conversation_id: string;
  readonly interaction_id: string;
}

const fullName = (agent: NamedAgent | undefined): string =>
  [agent?.first_name, agent?.last_name].filter(Boolean).join(" ");

/** `agent_id` and `agent_name`, with a prefix such as `from_` for a second agent. */
export const agentColumns = <R>(id: (row: R) => string | null, prefix = ""): readonly ReportColumn<R>[] => [
  { name: `${prefix}agent_id`, value: id },
  { name: `${prefix}agent_name`, pii: true, value: (row, { names }) => fullName(names.agent(id(row))) },
];

export const agentEmail = <R extends { readonly agent_id: string | null }>(): ReportColumn<R> => ({
  name: "agent_email",
  pii: true,
  value: ({ agent_id }, { names }) => names.agent(agent_id)?.email,
});

/** `group_id` and `group_name`. */
export const groupColumns = <R>(id: (row: R) => string | null, prefix = ""): readonly ReportColumn<R>[] => [
  { name: `${prefix}group_id`, value: id },
  { name: `${prefix}group_name`, value: (row, { names }) => names.group(id(row)) },
];

/** `channel_id` and `channel_name`. */
export const channelColumns = <R extends { readonly channel_id: string }>(): readonly ReportColumn<R>[] => [
  { name: "channel_id", value: ({ channel_id }) => channel_id },
  { name: "channel_name", value: ({ channel_id }, { names }) => names.channel(channel_id) },
];

/** `conversation_id` and `interaction_id`. */
export const conversationColumns = <R extends AboutConversation>(): readonly ReportColumn<R>[] => [
  { name: "conversation_id", value: ({ conversation_id }) => conversation_id },
  { name: "interaction_id", value: ({ interaction_id }) => interaction_id },
];

/** `conversation_url`, as in the conversation object. */
export const conversationUrl = <R extends { readonly conversation_id: string }>(): ReportColumn<R> => ({
  name: "conversation_url",
  value: ({ conversation_id }, context) => context.conversationUrl(conversation_id),
});

/** The time between two moments, at least 0 in case the clock was set back. @units seconds */
export const secondsBetween = (from: Date, to: Date | null): number | null =>
  to && Math.max(0, to.getTime() - from.getTime()) / 1000;

/** Rounded to three decimals: seconds to the millisecond. */
export const rounded = (value: number | null): number | null => value && Math.round(value * 1000) / 1000;
