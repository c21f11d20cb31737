import type { FastifyRequest } from "fastify";

/**
 * The host page and the app's frames have a name each, below one that is the app's alone: `app-<name>.localhost` and
 * `frame.app-<name>.localhost`. To a browser they are two origins of one site. Two origins: the frame can read nothing of the page. One
 * site: the frame is no third party, whose storage browsers take away when third-party cookies are blocked or a window is private. A name
 * an app: `localhost` itself would put the cookies of all apps, and of whatever else runs on this machine, into one jar.
 */
const pageHost = (app: string): string => {
  const label = app
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, LABEL_CHARACTERS)
    .replace(/^-+|-+$/g, "");
  return `app-${label || "unnamed"}.localhost`;
};
/** With `app-` before it, it is as long as a label of a name may be. */
const LABEL_CHARACTERS = 59;

const FRAME_HOST = /^frame\.[^.]+\.localhost$/;

/** Asked by the page to see whether the browser knows the name. */
export const PROBE = "/front/probe";
export const CLIENT = "/front/client.js";
const OPEN_TO_FRAMES = ["/app/*", CLIENT, PROBE];

/** Puts each origin into an agent cluster of its own: those of one site would else share a process, and `document.domain`. */
export const OWN_AGENT_CLUSTER = { "origin-agent-cluster": "?1" } as const;

const portOf = ({ headers }: FastifyRequest): string => /:\d+$/.exec(headers.host ?? "")?.[0] ?? "";

/** Whether it is asked for under the frames' name, be it that of another app's: none of them may have what is ours. */
export const isFrameHost = ({ headers }: FastifyRequest): boolean =>
  FRAME_HOST.test((headers.host ?? "").replace(/:\d+$/, "").toLowerCase());

/** Where the page is of one site with the app's frames. */
export const pageOrigin = (request: FastifyRequest, app: string): string => `http://${pageHost(app)}${portOf(request)}`;

/** Where the frames of a page come from that was asked for by this request. */
export const frameOrigin = (request: FastifyRequest, app: string): string =>
  `http://frame.${pageHost(app)}${portOf(request)}`;

/** Whether what is asked may be had under the frames' name: nothing that is ours. */
export const isOpenToFrames = ({ routeOptions }: FastifyRequest): boolean =>
  OPEN_TO_FRAMES.includes(routeOptions.url ?? "");

/**
 * -> the origin that may read the app's files from another one. "null" is said by pages without an origin, as one has that is opened under our own name: its
 * modules and fonts are asked for so. Under the frames' name a page has an origin and needs none of this.
 * @assumed A browser tells nothing by which such a page and a sandboxed frame of somebody else's could be told apart: that one can read what lies in app/,
 * which is code and no data. Pages with an origin can't.
 */
export const fileReader = (request: FastifyRequest): "null" | undefined =>
  request.headers.origin === "null" && !isFrameHost(request) ? "null" : undefined;

/** Only our page may hold the frames. */
export const frameAncestorsPolicy = (request: FastifyRequest, app: string): string =>
  `frame-ancestors ${pageOrigin(request, app)}`;
