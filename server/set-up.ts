import type { SetUpPayload } from "@parley/framework/sdk";
import { refusalOf } from "./lib/check-settings.ts";
import { settingsOf, type Settings } from "./lib/settings.ts";
import type { Deps, Log } from "./lib/use-case.ts";

/** What the app's own life takes: it asks nothing of the account. */
export interface SetUpDeps extends Pick<Deps, "schedule"> {
  readonly log: Log;
  /** The address to which other systems post. */
  readonly address: () => Promise<string>;
  /** The daily report's time, by the settings. */
  readonly plan: (schedule: Deps["schedule"], settings: Settings, now: Date) => Promise<void>;
}

/**
 * At an installation and at each change of its settings: looks at them, and makes what must stand before anything happens.
 * -> why it can't be, for the person who installs @shape at most 60 characters
 */
export async function setUp(
  { iparams, timestamp }: Pick<SetUpPayload, "iparams" | "timestamp">,
  { schedule, log, address, plan }: SetUpDeps,
): Promise<string | undefined> {
  const refusal = refusalOf(iparams);
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
