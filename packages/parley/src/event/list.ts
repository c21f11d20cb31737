import { styleText } from "node:util";
import type { HandledEvent, HostedApp, PayloadSource } from "@parley/contract";
import { table } from "../admin/table.ts";

const sourceText = (source: PayloadSource, event: HandledEvent): string => {
  if (source.from === "file") return source.file;
  if (source.from === "recorded") return "the newest recorded one";
  return event.kind === "function" ? "no arguments" : "a sample";
};

/** What an app hears, for a person. */
export const listText = ({ name, account, events }: HostedApp): string =>
  [
    `${styleText("bold", name)} ${account === undefined ? "is not installed" : `is installed on ${account}`}.`,
    events.length === 0
      ? "It hears no events: its manifest names none."
      : table(
          ["event", "kind", "payload, when none is given"],
          events.map((one) => [one.event, one.kind, sourceText(one.payload, one)]),
        ),
  ].join("\n");
