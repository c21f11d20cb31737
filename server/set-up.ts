import type { IparamValues } from "@parley/contract";
import { CHECKS, problemsAt, type SettingCheck, type CheckedSetting } from "./lib/checks.ts";
import type { SettingLineProblem } from "./lib/setting-lines.ts";
import { settingsOf, settingText, type Settings } from "./lib/settings.ts";
import { NEEDED, shownOf } from "./lib/shown.ts";
import type { SetUpPayload } from "@parley/framework/sdk";
import type { UseCaseDeps, WriteLog } from "./lib/use-case.ts";

export interface SettingRefusal {
  /** At most the 60 characters that the framework takes. */
  readonly short: string;
  readonly problem: SettingLineProblem;
}

/** A parameter that an older version did not have is absent, not empty. */
const isEmptied = (value: IparamValues[string] | undefined): boolean =>
  typeof value === "string" && settingText(value).trim() === "";

const refusalAt = (
  key: CheckedSetting,
  { what, isLines }: SettingCheck,
  iparams: IparamValues,
): SettingRefusal | undefined => {
  const settings = settingsOf(iparams);
  const needed: readonly string[] = NEEDED;
  const shown: Readonly<Record<string, boolean>> = shownOf(settings);
  if (needed.includes(key) && shown[key] && isEmptied(iparams[key]))
    return { short: `${what} is missing.`, problem: { line: 1, message: `Fill in ${key}.` } };
  const [problem] = problemsAt(key, settings);
  return problem && { short: `${what} can't be ${isLines ? `read: see line ${problem.line}` : "used"}.`, problem };
};

/** -> what keeps Concierge from being installed with these values, undefined when nothing does. A command line has no page that looks at them. */
export function settingRefusalOf(iparams: IparamValues): SettingRefusal | undefined {
  for (const [key, check] of Object.entries(CHECKS) as [CheckedSetting, SettingCheck][]) {
    const refusal = refusalAt(key, check, iparams);
    if (refusal) return refusal;
  }
  return undefined;
}

/** What the app's own life takes: it asks nothing of the account. */
export interface SetUpDeps extends Pick<UseCaseDeps, "schedule"> {
  readonly log: WriteLog;
  /** The address to which other systems post. */
  readonly address: () => Promise<string>;
  /** The daily report's time, by the settings. */
  readonly plan: (schedule: UseCaseDeps["schedule"], settings: Settings, now: Date) => Promise<void>;
}

/**
 * At an installation and at each change of its settings: looks at them, and makes what must stand before anything happens.
 * -> why it can't be, for the person who installs @shape at most 60 characters
 */
export async function setUp(
  { iparams, timestamp }: Pick<SetUpPayload, "iparams" | "timestamp">,
  { schedule, log, address, plan }: SetUpDeps,
): Promise<string | undefined> {
  const refusal = settingRefusalOf(iparams);
  if (refusal) {
    log.error(`${refusal.short} ${refusal.problem.message}`);
    return refusal.short;
  }
  const settings = settingsOf(iparams);
  await plan(schedule, settings, new Date(timestamp));
  if (settings.syncIn.isOn) await address();
  return undefined;
}

/** The host takes away all that the app has kept, and its schedules; what would still fire on one that doesn't is taken back here. */
export async function tearDown(
  { iparams, timestamp }: Pick<SetUpPayload, "iparams" | "timestamp">,
  { schedule, plan }: Pick<SetUpDeps, "schedule" | "plan">,
): Promise<void> {
  const settings = settingsOf(iparams);
  await plan(schedule, { ...settings, digest: { ...settings.digest, isOn: false } }, new Date(timestamp));
}
