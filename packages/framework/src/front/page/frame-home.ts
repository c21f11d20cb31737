import type { FrameHome } from "./instances.ts";

const probeTimeoutMs = 2_000;

/**
 * Where frames come from in this browser: from a name of their own where the browser knows it, and then this page goes to the name that
 * is of one site with it, so that they have storage. Resolves never while the page is on its way there.
 * @param home origin of this page under that name
 * @param frames origin of the frames
 */
export const homeOf = async (home: string, frames: string): Promise<FrameHome> => {
  const reached = await fetch(`${frames}/front/probe`, { signal: AbortSignal.timeout(probeTimeoutMs) }).catch(
    () => undefined,
  );
  if (!reached?.ok) return { origin: location.origin, apart: true };
  if (location.origin === home) return { origin: frames, apart: false };
  location.replace(`${home}${location.pathname}${location.search}${location.hash}`);
  return new Promise(() => undefined);
};
