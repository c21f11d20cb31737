import type { FastifyRequest } from "fastify";

/** Whether a person opens an address, in a window or a frame. */
export const isNavigation = ({ method, headers }: FastifyRequest): boolean =>
  method === "GET" &&
  (headers["sec-fetch-mode"] === undefined
    ? (headers.accept ?? "").includes("text/html")
    : headers["sec-fetch-mode"] === "navigate");

/** Whether a person opens a page, in a window and not in a frame. */
export const isPageLoad = (request: FastifyRequest): boolean =>
  isNavigation(request) && (request.headers["sec-fetch-dest"] ?? "document") === "document";

/**
 * Whether a browser sends the request for a page of this origin or for a person who opens a page. Pages of other origins of the same site, as the
 * app's frames are to the agent's page, could otherwise send requests with its cookie, although they can't read the responses.
 */
export const isFromOwnPage = (request: FastifyRequest): boolean => {
  const site = request.headers["sec-fetch-site"];
  if (site === undefined || site === "same-origin" || site === "none") return true;
  return isPageLoad(request);
};
