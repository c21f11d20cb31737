import { builtText } from "../assets.ts";
import type { Inspect } from "../project/load.ts";
import { inspection } from "../runtime/inspect.ts";
import { launchIn } from "../runtime/launch.ts";
import { findBoundary } from "../sandbox/boundary.ts";
import { usualSettings } from "../settings.ts";

/** Looks into an app's code where no host runs: in a process as a host would start it. */
export async function lonelyInspection(): Promise<Inspect> {
  const [program, boundary] = await Promise.all([builtText("child.cjs"), findBoundary()]);
  return inspection({ launch: launchIn(boundary), program, settings: usualSettings, log: () => undefined });
}
