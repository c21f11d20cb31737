import type { IparamValues } from "@parley/contract";
import { SETTING_CHECKS, settingProblemsAt, type SettingCheck, type CheckedSetting } from "./lib/setting-checks.ts";
import type { SettingLineProblem } from "./lib/setting-lines.ts";
import { settingsOf, settingText, type Settings, REQUIRED_WHEN_VISIBLE, visibleSettingsOf } from "./lib/settings.ts";
import type { SetUpPayload } from "@parley/framework/sdk";
import type { UseCaseDeps, WriteLog } from "./lib/use-case.ts";

interface SettingRefusal {
  /** At most 60 characters, the framework's limit. */
  readonly short: string;
  readonly problem: SettingLineProblem;
}

/** A parameter that an earlier version did not have is absent, not empty. */
const isEmptied = (value: IparamValues[string] | undefined): boolean =>
  typeof value === "string" && settingText(value).trim() === "";

const refusalAt = (
  key: CheckedSetting,
  { what, isLines }: SettingCheck,
  iparams: IparamValues,
): SettingRefusal | undefined => {
  const settings = settingsOf(iparams);
  const needed: readonly string[] = REQUIRED_WHEN_VISIBLE;
  const shown: Readonly<Record<string, boolean>> = visibleSettingsOf(settings);
  if (needed.includes(key) && shown[key] && isEmptied(iparams[key]))
    return { short: `${what} is missing.`, problem: { line: 1, message: `Fill in ${key}.` } };
  const [problem] = settingProblemsAt(key, settings);
  return problem && { short: `${what} can't be ${isLines ? `read: see line ${problem.line}` : "used"}.`, problem };
};

/** -> the reason why Concierge can't be installed with these values, undefined if it can. Needed for installations by a command, which run no checks of the page. */
export function settingRefusalOf(iparams: IparamValues): SettingRefusal | undefined {
  for (const [key, check] of Object.entries(SETTING_CHECKS) as [CheckedSetting, SettingCheck][]) {
    const refusal = refusalAt(key, check, iparams);
    if (refusal) return refusal;
  }
  return undefined;
}

/** Dependencies of the set-up events, which send no requests to the account. */
interface SetUpDeps extends Pick<UseCaseDeps, "schedule"> {
  readonly log: WriteLog;
  /** The address for events of other systems. */
  readonly address: () => Promise<string>;
  /** Schedules the daily report by the settings. */
  readonly scheduleReport: (schedule: UseCaseDeps["schedule"], settings: Settings, now: Date) => Promise<void>;
}

/**
 * Runs at an installation and at each change of its settings: validates them, and creates the address and the schedules.
 * -> the reason of a refusal, for the person who installs @shape at most 60 characters
 */
export async function setUp(
  { iparams, timestamp }: Pick<SetUpPayload, "iparams" | "timestamp">,
  { schedule, log, address, scheduleReport }: SetUpDeps,
): Promise<string | undefined> {
  const refusal = settingRefusalOf(iparams);
  if (refusal) {
    log.error(`Settings refused. ${refusal.short} ${refusal.problem.message}`);
    return refusal.short;
  }
  const settings = settingsOf(iparams);
  await scheduleReport(schedule, settings, new Date(timestamp));
  if (settings.syncIn.isOn) await address();
  return undefined;
}

/** The host deletes the app's data and its schedules. Schedules are deleted here as well, for hosts that don't. */
export async function tearDown(
  { iparams, timestamp }: Pick<SetUpPayload, "iparams" | "timestamp">,
  { schedule, scheduleReport }: Pick<SetUpDeps, "schedule" | "scheduleReport">,
): Promise<void> {
  const settings = settingsOf(iparams);
  await scheduleReport(schedule, { ...settings, digest: { ...settings.digest, isOn: false } }, new Date(timestamp));
}
