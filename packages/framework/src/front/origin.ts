import type { FastifyRequest } from "fastify";

/**
 * The app's pages come from a name of their own, so that to a browser they are another origin than the page around them: they have
 * storage, and can read nothing of ours.
 */
const FRAME_HOST = "app.localhost";

/** Asked by the page to see whether the browser knows the name. */
export const PROBE = "/front/probe";
export const CLIENT = "/front/client.js";
const OPEN_TO_FRAMES = ["/app/*", CLIENT, PROBE];

const portOf = ({ headers }: FastifyRequest): string => /:\d+$/.exec(headers.host ?? "")?.[0] ?? "";

export const isFrameHost = ({ headers }: FastifyRequest): boolean =>
  (headers.host ?? "").replace(/:\d+$/, "").toLowerCase() === FRAME_HOST;

/** Where the frames of a page come from that was asked for by this request. */
export const frameOrigin = (request: FastifyRequest): string => `http://${FRAME_HOST}${portOf(request)}`;

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
export const framePolicy = (request: FastifyRequest): string => {
  const port = portOf(request);
  return `frame-ancestors http://localhost${port} http://127.0.0.1${port} http://*.localhost${port}`;
};
