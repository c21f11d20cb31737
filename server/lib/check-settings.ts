import type { LineProblem } from "./lines.ts";
import { parseMenu } from "./menu.ts";
import type { Settings } from "./settings.ts";
import { readTemplate } from "./template.ts";

export interface Refusal {
  /** At most the 60 characters that the framework takes. */
  readonly short: string;
  readonly problem: LineProblem;
}

/** -> what keeps Concierge from being installed with these settings, undefined when nothing does */
export function refusalOf({ welcome, menu }: Settings): Refusal | undefined {
  const read = readTemplate(welcome);
  if (!read.ok)
    return { short: `The welcome message can't be read: see line ${read.problem.line}.`, problem: read.problem };
  const [problem] = parseMenu(menu).problems;
  return problem && { short: `The menu can't be read: see line ${problem.line}.`, problem };
}
