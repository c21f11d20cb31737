import type { FrameHome } from "./instances.ts";

/** @units milliseconds */
const PROBE_PATIENCE = 2_000;

/** Where frames may come from in this browser: under their own name where it leads here. */
export const homeOf = async (origin: string): Promise<FrameHome> => {
  const reached = await fetch(`${origin}/front/probe`, { signal: AbortSignal.timeout(PROBE_PATIENCE) }).catch(
    () => undefined,
  );
  return reached?.ok ? { origin, apart: false } : { origin: location.origin, apart: true };
};
