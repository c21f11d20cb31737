import type { AuditEntry } from "@parley/contract";
import { spreadsheetText } from "../spreadsheet-text.ts";
import { actionText, actorText, detailLines, subjectText, type KnownNames } from "./entry-texts.ts";

/** Names of the columns. They are the same in all languages, so that programs can read the file. */
const COLUMNS = [
  "time",
  "actor_type",
  "actor",
  "actor_id",
  "address",
  "action",
  "text",
  "subject",
  "subject_id",
  "details",
] as const;

/** -> a value as a cell: quoted where needed, and never evaluated by a spreadsheet */
export const csvCell = (value: string): string => {
  const text = spreadsheetText(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};

const rowOf = (entry: AuditEntry, known: KnownNames): readonly string[] => [
  entry.time,
  entry.actor.type,
  actorText(entry, known),
  entry.actor.id ?? "",
  entry.address ?? "",
  entry.action,
  actionText(entry),
  subjectText(entry, known),
  entry.subject ?? "",
  detailLines(entry, known).join("\n"),
];

/** -> a CSV file (RFC 4180) with a row of names; begins with a byte order mark, without which spreadsheets don't read it as UTF-8 */
export const auditCsv = (entries: readonly AuditEntry[], known: KnownNames): string =>
  `\uFEFF${[COLUMNS, ...entries.map((entry) => rowOf(entry, known))]
    .map((row) => `${row.map(csvCell).join(",")}\r\n`)
    .join("")}`;

/** -> the entries of an export, a JSON object a line */
export const entriesOf = (lines: string): AuditEntry[] =>
  lines.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line) as AuditEntry]));
