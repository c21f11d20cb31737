import type { IparamValues } from "@parley/contract";
import { CHECKS, problemsAt, type Check, type Checked } from "./checks.ts";
import type { LineProblem } from "./lines.ts";
import { settingsOf, textOf } from "./settings.ts";
import { NEEDED, shownOf } from "./shown.ts";

export interface Refusal {
  /** At most the 60 characters that the framework takes. */
  readonly short: string;
  readonly problem: LineProblem;
}

/** A parameter that an older version did not have is absent, not empty. */
const isEmptied = (value: IparamValues[string] | undefined): boolean =>
  typeof value === "string" && textOf(value).trim() === "";

const refusalAt = (key: Checked, { what, isLines }: Check, iparams: IparamValues): Refusal | undefined => {
  const settings = settingsOf(iparams);
  const needed: readonly string[] = NEEDED;
  const shown: Readonly<Record<string, boolean>> = shownOf(settings);
  if (needed.includes(key) && shown[key] && isEmptied(iparams[key]))
    return { short: `${what} is missing.`, problem: { line: 1, message: `Fill in ${key}.` } };
  const [problem] = problemsAt(key, settings);
  return problem && { short: `${what} can't be ${isLines ? `read: see line ${problem.line}` : "used"}.`, problem };
};

/** -> what keeps Concierge from being installed with these values, undefined when nothing does. A command line has no page that looks at them. */
export function refusalOf(iparams: IparamValues): Refusal | undefined {
  for (const [key, check] of Object.entries(CHECKS) as [Checked, Check][]) {
    const refusal = refusalAt(key, check, iparams);
    if (refusal) return refusal;
  }
  return undefined;
}
