import type { FastifyRequest } from "fastify";

/**
 * The host page and the app's frames have one host name each, below a name of the app: `app-<name>.localhost` and
 * `frame.app-<name>.localhost`. To a browser they are two origins of one site. Two origins: the frame can't read the page. One site: the frame is
 * not a third party, whose storage browsers block together with third-party cookies and in private windows. One name per app: under `localhost`
 * itself, all apps and other servers of this machine would share their cookies.
 */
const pageHost = (app: string): string => {
  const label = app
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, LABEL_CHARACTERS)
    .replace(/^-+|-+$/g, "");
  return `app-${label || "unnamed"}.localhost`;
};
/** With the prefix `app-`, the maximum length of a DNS label. */
const LABEL_CHARACTERS = 59;

const FRAME_HOST = /^frame\.[^.]+\.localhost$/;

/** Requested by the page to check whether the browser resolves the name. */
export const PROBE = "/front/probe";
export const CLIENT = "/front/client.js";
const OPEN_TO_FRAMES = ["/app/*", CLIENT, PROBE];

/** Gives each origin its own agent cluster: origins of one site would otherwise share a process, and `document.domain`. */
export const OWN_AGENT_CLUSTER = { "origin-agent-cluster": "?1" } as const;

/** The port in the Host header. @shape with its colon; "" without one */
export const portOf = ({ headers }: FastifyRequest): string => /:\d+$/.exec(headers.host ?? "")?.[0] ?? "";

/** Whether a request uses the frames' host name, including that of another app: none of these may access the host's own routes. */
export const isFrameHost = ({ headers }: FastifyRequest): boolean =>
  FRAME_HOST.test((headers.host ?? "").replace(/:\d+$/, "").toLowerCase());

/** Origin of the page that is same-site with the app's frames. */
export const pageOrigin = (request: FastifyRequest, app: string): string => `http://${pageHost(app)}${portOf(request)}`;

/** Whether a request uses the host name of the app's host page. */
export const isPageHost = ({ headers }: FastifyRequest, app: string): boolean =>
  (headers.host ?? "").replace(/:\d+$/, "").toLowerCase() === pageHost(app);

/** Origin of the frames of the page that this request loads. */
export const frameOrigin = (request: FastifyRequest, app: string): string =>
  `http://frame.${pageHost(app)}${portOf(request)}`;

/** Whether a route may be requested under the frames' host name; the host's own routes may not. */
export const isOpenToFrames = ({ routeOptions }: FastifyRequest): boolean =>
  OPEN_TO_FRAMES.includes(routeOptions.url ?? "");

/**
 * -> the origin that may read the app's files cross-origin. Pages with an opaque origin send "null", such as an app's page under our own host name, which
 * loads its modules and fonts this way. Under the frames' host name a page has an origin and needs no permission.
 * @assumed A browser sends nothing that distinguishes such a page from a sandboxed frame of another site: that frame can read the files in app/,
 * which are code and not data. Pages with an origin can't.
 */
export const fileReader = (request: FastifyRequest): "null" | undefined =>
  request.headers.origin === "null" && !isFrameHost(request) ? "null" : undefined;

/** Only the host page may embed the frames. */
export const frameAncestorsPolicy = (request: FastifyRequest, app: string): string =>
  `frame-ancestors ${pageOrigin(request, app)}`;
