import { builtText } from "../assets.ts";
import type { Inspect } from "../project/load.ts";
import { inspection } from "../runtime/inspect.ts";
import { findLaunch } from "../runtime/launch.ts";
import { usualSettings } from "../settings.ts";

/** Looks into an app's code where no host runs: in a process as a host would start it. */
export async function lonelyInspection(): Promise<Inspect> {
  const [program, launch] = await Promise.all([builtText("child.cjs"), findLaunch()]);
  return inspection({ launch, program, settings: usualSettings, log: () => undefined });
}
