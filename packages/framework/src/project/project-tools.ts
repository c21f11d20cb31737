import { builtText } from "../assets.ts";
import { createBundler } from "../bundler/bundler.ts";
import type { ProjectTools } from "./load.ts";
import { inspection } from "../runtime/inspect.ts";
import { findLaunch } from "../runtime/launch.ts";
import { usualSettings } from "../settings.ts";

/** Looks into apps' files and code where no host runs, in processes as a host would start them. */
export async function projectTools(): Promise<ProjectTools> {
  const [program, launch] = await Promise.all([builtText("child.cjs"), findLaunch()]);
  return {
    inspect: inspection({ launch, program, settings: usualSettings, log: () => undefined }),
    bundler: createBundler(),
  };
}
