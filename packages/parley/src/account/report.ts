import { styleText } from "node:util";
import type { AppliedDocument } from "@parley/contract";
import { printable } from "../printable.ts";

type Change = AppliedDocument["changes"][number];

const SIGNS = { create: ["+", "green"], update: ["~", "yellow"], remove: ["-", "red"] } as const;

const lineOf = ({ change, section, name, members }: Change): string => {
  const [sign, colour] = SIGNS[change];
  const what = members.length > 0 ? ` (${members.join(", ")})` : "";
  return `${styleText(colour, sign)} ${section} ${printable(name).replaceAll("\n", " ")}${what}`;
};

/** What a run did, line by line, and the counts. */
export const report = ({ changes, unchanged, dry_run }: AppliedDocument): string => {
  const count = (change: Change["change"]) => changes.filter((each) => each.change === change).length;
  const counts =
    changes.length === 0
      ? `nothing to change (${unchanged} unchanged)`
      : `${count("create")} created, ${count("update")} changed, ${count("remove")} removed, ${unchanged} unchanged`;
  const note = dry_run && changes.length > 0 ? "  (dry run: nothing was done)" : "";
  return [...changes.map(lineOf), `= ${counts}${note}`].join("\n");
};
