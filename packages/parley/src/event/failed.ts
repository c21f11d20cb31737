import { styleText } from "node:util";
import type { FailedSchedule } from "@parley/contract";
import { printable } from "../printable.ts";

const text = ({ id, name, due_time, failed_time, tries, reason }: FailedSchedule): string =>
  [
    `${id}  ${styleText("bold", printable(name))}`,
    `  due ${due_time}, given up ${failed_time}`,
    `  after ${tries} ${tries === 1 ? "try" : "tries"}: ${printable(reason).replaceAll("\n", " ")}`,
  ].join("\n");

/** Schedules that were given up, for a person. */
export const failedText = (failed: readonly FailedSchedule[]): string =>
  failed.length === 0
    ? "No schedule was given up."
    : [...failed.map(text), "Next: 'parley event replay <id>', once the handler is mended."].join("\n");
