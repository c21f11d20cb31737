import { styleText } from "node:util";
import type { FailedSchedule, HandledEvent, HostedApp, PayloadSource } from "@parley/contract";
import { printable, table } from "../output/table.ts";

const sourceText = (source: PayloadSource, event: HandledEvent): string => {
  if (source.from === "file") return source.file;
  if (source.from === "recorded") return "the newest recorded payload";
  return event.kind === "function" ? "no arguments" : "a sample";
};

/** Name that `parley event` accepts: with the module when several modules handle the event. */
const nameIn = ({ event, module }: HandledEvent, all: readonly HandledEvent[]): string =>
  all.filter((one) => one.event === event).length > 1 ? `${module}/${event}` : event;

/** Formats the events that an app handles for the terminal. */
export const listText = ({ name, account, events }: HostedApp): string =>
  [
    `${styleText("bold", name)} ${account === undefined ? "is not installed" : `is installed on ${account}`}.`,
    events.length === 0
      ? "It has no events: its manifest declares none."
      : table(
          ["event", "kind", "default payload"],
          events.map((one) => [nameIn(one, events), one.kind, sourceText(one.payload, one)]),
        ),
  ].join("\n");

const text = ({ id, name, due_time, failed_time, tries, reason }: FailedSchedule): string =>
  [
    `${id}  ${styleText("bold", printable(name))}`,
    `  due ${due_time}, failed ${failed_time}`,
    `  after ${tries} ${tries === 1 ? "try" : "tries"}: ${printable(reason).replaceAll("\n", " ")}`,
  ].join("\n");

/** Formats schedules whose retries are exhausted for the terminal. */
export const failedText = (failed: readonly FailedSchedule[]): string =>
  failed.length === 0
    ? "No schedule has failed."
    : [...failed.map(text), "Next: fix the handler, then run 'parley event replay <id>'."].join("\n");
