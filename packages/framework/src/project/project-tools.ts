import { builtText } from "../assets.ts";
import { createBundler } from "../bundler/bundler.ts";
import type { ProjectTools } from "./load.ts";
import { inspection } from "../runtime/inspect.ts";
import { launchIn } from "../runtime/launch.ts";
import { findBoundary, type BoundaryName } from "../sandbox/boundary.ts";
import { usualSettings } from "../settings.ts";

/**
 * Looks into apps' files and code where no host runs, in processes as a host would start them.
 * @shape boundaries: those that may be used, as `findBoundary` has it
 */
export async function projectTools(boundaries?: readonly BoundaryName[]): Promise<ProjectTools> {
  const [program, boundary] = await Promise.all([builtText("child.cjs"), findBoundary(boundaries)]);
  return {
    inspect: inspection({ launch: launchIn(boundary), program, settings: usualSettings, log: () => undefined }),
    bundler: createBundler(boundary),
  };
}
