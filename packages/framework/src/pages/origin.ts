import { createPageAddressOf, EMBED_PATH, FRAME_LABEL_PREFIX, isLocalHost } from "@parley/contract";
import type { FastifyRequest } from "fastify";

/**
 * Host names of the pages of an app on an account. The host's page and the app's frames have one host name each. To a browser they are two
 * origins of one site. Two origins: the frame can't read the page. One site: the frame is not a third party, whose storage browsers block
 * together with third-party cookies and in private windows.
 */
export interface SiteAddress {
  /** Whether a request uses a host name of frames: such a request may not access the host's own routes. */
  isFrameHost(request: FastifyRequest): boolean;
  /** Whether a request uses the host name of the agent's page. */
  isPageHost(request: FastifyRequest): boolean;
  /** Origin of the agent's page. */
  pageOrigin(request: FastifyRequest): string;
  /** Origin of the frames of the page that this request loads. */
  frameOrigin(request: FastifyRequest): string;
  /** Sources of frames on the page that this request loads, for its content security policy. */
  frameSources(request: FastifyRequest): string;
  /** Origins of the console, the only pages of other origins that may embed the app. */
  readonly consoleOrigins: readonly string[];
}

interface ConsoleAddress {
  /** Origin of the service's pages in browsers. */
  readonly serviceOrigin: string;
  readonly account: string;
  /** The part after the account's name in the host of an account. */
  readonly domainSuffix: string;
}

/** Origin of all apps on this machine. */
export const localAppsUrl = (port: number): string => `http://apps.localhost:${port}`;

/**
 * The origins at which agents of an account open the console: that of the service, the host of the account, and on this machine also the
 * loopback address.
 */
export const consoleOriginsOf = ({ serviceOrigin, account, domainSuffix }: ConsoleAddress): readonly string[] => {
  const { protocol, hostname, port, origin } = new URL(serviceOrigin);
  const at = (name: string): string => new URL(`${protocol}//${name}${port === "" ? "" : `:${port}`}`).origin;
  const accountHost = `${account}${domainSuffix}`;
  const isLocal = isLocalHost(hostname);
  return [
    ...new Set([
      origin,
      ...(isLocal ? [at("localhost"), at("127.0.0.1")] : []),
      // A service that is public has no hosts below localhost.
      ...(isLocalHost(accountHost) === isLocal ? [at(accountHost)] : []),
    ]),
  ];
};

/** A name as a label of a host name. */
const labelOf = (app: string): string =>
  app
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, LABEL_CHARACTERS)
    .replace(/^-+|-+$/g, "");
/** With the prefix `app-`, the maximum length of a DNS label. */
const LABEL_CHARACTERS = 59;

const FRAME_HOST = /^frame\.[^.]+\.localhost$/;

/** Requested by the page to check whether the browser resolves the name. */
export const PROBE = "/front/probe";
export const CLIENT = "/front/client.js";
/** The address at which authors raised events before the console did: it leads to the app's page there. */
export const RAISE_EVENTS = "/web/test";
/** The page that the console embeds, and its files: the same for everybody. */
export const EMBED_ROUTES = {
  page: EMBED_PATH,
  script: `${EMBED_PATH}/page.js`,
  style: `${EMBED_PATH}/page.css`,
  session: `${EMBED_PATH}/session`,
  model: `${EMBED_PATH}/model`,
} as const;
/** Address of the installation page; its other routes are below it. */
export const INSTALL_PAGE = "/custom_configs";
const OWN_PAGE_FOLDER = `${INSTALL_PAGE}/own/`;
/**
 * An app's own installation page. `folders`: addresses of the page, to which `assets/*` is added for its files; published apps have the version
 * in the address, so that files belong to the version of the page.
 */
export const OWN_PAGE_ROUTES = {
  root: OWN_PAGE_FOLDER,
  folders: [OWN_PAGE_FOLDER, `${OWN_PAGE_FOLDER}version/:version/`],
  client: `${INSTALL_PAGE}/own-client.js`,
} as const;
export const OWN_PAGE_FILES: readonly string[] = OWN_PAGE_ROUTES.folders.map((folder) => `${folder}assets/*`);
const OPEN_TO_FRAMES: readonly string[] = [
  "/app/*",
  CLIENT,
  PROBE,
  ...OWN_PAGE_ROUTES.folders,
  ...OWN_PAGE_FILES,
  OWN_PAGE_ROUTES.client,
];

/** Gives each origin its own agent cluster: origins of one site would otherwise share a process, and `document.domain`. */
export const OWN_AGENT_CLUSTER = { "origin-agent-cluster": "?1" } as const;

/** The port in the Host header. @shape with its colon; "" without a port */
export const portOf = ({ headers }: FastifyRequest): string => /:\d+$/.exec(headers.host ?? "")?.[0] ?? "";

/** The host name in the Host header, in lower case. */
export const hostNameOf = ({ headers }: Pick<FastifyRequest, "headers">): string =>
  (headers.host ?? "").replace(/:\d+$/, "").toLowerCase();

/** The host names of an app that is read from a folder; its port is known when it listens. */
interface LiveSiteAddress extends SiteAddress {
  /** Origin of the agent's page. */
  originAt(port: number): string;
}

/**
 * Host names of an app that is read from a folder, below `localhost`: `app-<name>.localhost` and `frame.app-<name>.localhost`. One name per
 * app: under `localhost` itself, all apps and other servers of this machine would share their cookies.
 * @shape app: the app's name
 */
export const liveSiteAddress = (app: () => string, consoleOrigins: readonly string[] = []): LiveSiteAddress => {
  const pageHost = () => `app-${labelOf(app()) || "unnamed"}.localhost`;
  const frameOrigin = (request: FastifyRequest) => `http://frame.${pageHost()}${portOf(request)}`;
  return {
    // Including that of another app.
    isFrameHost: (request) => FRAME_HOST.test(hostNameOf(request)),
    isPageHost: (request) => hostNameOf(request) === pageHost(),
    pageOrigin: (request) => `http://${pageHost()}${portOf(request)}`,
    originAt: (port) => `http://${pageHost()}:${port}`,
    frameOrigin,
    consoleOrigins,
    frameSources: (request) => `http://${request.headers.host ?? ""}/app/ ${frameOrigin(request)}/app/`,
  };
};

/** Separates the parts of the host names of published apps. */
const SEPARATOR = "--";
const LABEL_CHARACTERS_MAX = 63;
/** Most characters that the names of an app and of an account have together, so that they fit into one label. */
export const SITE_NAMES_MAX = LABEL_CHARACTERS_MAX - FRAME_LABEL_PREFIX.length - SEPARATOR.length;

const pageAddressOf = createPageAddressOf(undefined);

/**
 * Host names of a published app on an account, one label below the host of all apps, so that one certificate covers them:
 * `<app>--<account>.<host>` and `frame--<app>--<account>.<host>`.
 * @shape label: as `siteLabel` returns it; host: with its port, if it has a port
 */
export const publishedSiteAddress = (
  label: string,
  host: string,
  consoleOrigins: readonly string[] = [],
): SiteAddress => {
  const [pageHost, frameHost] = [`${label}.${host}`, `${FRAME_LABEL_PREFIX}${label}.${host}`];
  const isAt = (request: FastifyRequest, name: string) => (request.headers.host ?? "").toLowerCase() === name;
  const frameOrigin = () => pageAddressOf(frameHost).origin;
  return {
    isFrameHost: (request) => isAt(request, frameHost),
    isPageHost: (request) => isAt(request, pageHost),
    pageOrigin: () => pageAddressOf(pageHost).origin,
    frameOrigin,
    consoleOrigins,
    frameSources: () => `${frameOrigin()}/app/`,
  };
};

/** The label of the host name of a published app on an account; undefined if it would be too long. */
export const siteLabel = (app: string, account: string): string | undefined =>
  app.length + account.length <= SITE_NAMES_MAX ? `${app}${SEPARATOR}${account}` : undefined;

/** The app and the account in a label; undefined for other labels. The app's name contains no two hyphens in a row. */
export const siteOfLabel = (label: string): { readonly app: string; readonly account: string } | undefined => {
  const own = label.startsWith(FRAME_LABEL_PREFIX) ? label.slice(FRAME_LABEL_PREFIX.length) : label;
  const at = own.indexOf(SEPARATOR);
  return at > 0 && at + SEPARATOR.length < own.length
    ? { app: own.slice(0, at), account: own.slice(at + SEPARATOR.length) }
    : undefined;
};

/** Whether a route may be requested under the frames' host name; the host's own routes may not. */
export const isOpenToFrames = ({ routeOptions }: FastifyRequest): boolean =>
  OPEN_TO_FRAMES.includes(routeOptions.url ?? "");

/**
 * -> the origin that may read the app's files cross-origin. Pages with an opaque origin send "null", such as an app's page under our own host name, which
 * loads its modules and fonts this way. Under the frames' host name a page has an origin and needs no permission.
 * @assumed A browser sends nothing that distinguishes such a page from a sandboxed frame of another site: that frame can read the files in app/,
 * which are code and not data. Pages with an origin can't.
 */
export const fileReader = (request: FastifyRequest, site: SiteAddress): "null" | undefined =>
  request.headers.origin === "null" && !site.isFrameHost(request) ? "null" : undefined;

/** Only the host page may embed the frames. The console is an ancestor too where it embeds that page: the rule applies to all ancestors. */
export const frameAncestorsPolicy = (request: FastifyRequest, site: SiteAddress): string =>
  `frame-ancestors ${[site.pageOrigin(request), ...site.consoleOrigins].join(" ")}`;
