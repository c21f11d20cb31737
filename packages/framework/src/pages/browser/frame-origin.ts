/** Origin of an app's frames. `isOpaque`: the browser does not resolve their own host name, so that their sandbox takes the origin away. */
export interface FrameOrigin {
  readonly origin: string;
  readonly isOpaque: boolean;
}

const PROBE_TIMEOUT_MS = 2_000;

/**
 * Determines the origin of frames in this browser. If the browser resolves the frames' own host name, this page navigates to the host name that is
 * same-site with it, so that frames have storage; the promise then never resolves.
 * @param pageOrigin origin of this page under that host name
 * @param frames origin of the frames
 */
export const resolveFrameOrigin = async (pageOrigin: string, frames: string): Promise<FrameOrigin> => {
  const probe = await fetch(`${frames}/front/probe`, { signal: AbortSignal.timeout(PROBE_TIMEOUT_MS) }).catch(
    () => undefined,
  );
  if (!probe?.ok) return { origin: location.origin, isOpaque: true };
  if (location.origin === pageOrigin) return { origin: frames, isOpaque: false };
  location.replace(`${pageOrigin}${location.pathname}${location.search}${location.hash}`);
  return new Promise(() => undefined);
};

/** Origin of messages of the frames, and the origin that a message to them names. */
export interface MessageOrigins {
  readonly from: string;
  readonly to: string;
}

/** An opaque origin is serialized as "null" and can't be named. */
export const OPAQUE_ORIGINS: MessageOrigins = { from: "null", to: "*" };

export const messageOrigins = ({ origin, isOpaque }: FrameOrigin): MessageOrigins =>
  isOpaque ? OPAQUE_ORIGINS : { from: origin, to: origin };

/**
 * In a frame: the origin of the page around it. The frame's host name is that of the page with a prefix, or the page's own where the browser does
 * not resolve that name: `location` keeps the origin of the address, although the document's own origin is opaque.
 */
export const surroundingOrigin = (): string => `${location.protocol}//${location.host.replace(/^frame(?:\.|--)/, "")}`;
