import type { IncomingMessage } from "node:http";
import { siteOfLabel } from "../pages/origin.ts";
import { targetHashOf, TARGETS_PATH } from "../runtime/triggers/targets.ts";
import { EVENTS_PATH } from "../runtime/triggers/service-events.ts";
import { HEALTH_PATHS } from "./api/health-routes.ts";
import type { PublishedUnits } from "./published/published-units.ts";
import type { PublishedInstallationStore } from "./published/store.ts";
import { requestVersionOf } from "./process/request-version.ts";
import type { RequestDestination } from "./process/router.ts";
import type { RequestHandler } from "./process/server.ts";

interface DestinationLookupDeps {
  readonly units: PublishedUnits;
  readonly store: Pick<PublishedInstallationStore, "ownerOfTarget">;
  /** Host of all apps. @shape with its port, if the URL has a port */
  readonly appsHost: string;
  /** Whether an account exists. */
  readonly accountExists: (name: string) => Promise<boolean>;
  /** Routes of the platform itself. */
  readonly platformRoutes: RequestHandler;
  /** Answers requests that belong to no published app. */
  readonly fallback: RequestDestination;
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const UNKNOWN_ADDRESS: RequestDestination = { refusal: { status: 404, message: "Nothing is known by this address." } };
const UNKNOWN_VERSION: RequestDestination = {
  refusal: { status: 404, message: "The app has no such version. The catalogue of the account lists its versions." },
};
const UNKNOWN_APP: RequestDestination = {
  refusal: { status: 404, message: "This account has no such app. The catalogue of the account lists its apps." },
};

const pathOf = (url: string): string => url.split("?", 1)[0] ?? "/";

/** Finds what answers a request of a platform with published apps: by its path, then by its host name. */
export const createDestinationLookup = (deps: DestinationLookupDeps) => {
  const { units, store, appsHost, accountExists, platformRoutes, fallback } = deps;

  const byEvent = async (id: string): Promise<RequestDestination> => {
    const unit = UUID.test(id) ? await units.openInstallation(id) : undefined;
    return unit ? { unit, installation: id.toLowerCase() } : UNKNOWN_ADDRESS;
  };
  const byTarget = async (secret: string): Promise<RequestDestination> => {
    const owner = await store.ownerOfTarget(targetHashOf(secret));
    const unit = owner && (await units.open(owner));
    return unit ? { unit } : fallback;
  };
  const byHost = async (request: IncomingMessage): Promise<RequestDestination | undefined> => {
    const host = (request.headers.host ?? "").toLowerCase();
    if (!host.endsWith(`.${appsHost}`)) return undefined;
    const site = siteOfLabel(host.slice(0, -appsHost.length - 1));
    if (!site) return UNKNOWN_ADDRESS;
    const owner = { project: site.app, account: site.account };
    const current = await units.open(owner);
    if (!current || !(await accountExists(site.account))) return UNKNOWN_APP;
    const asked = requestVersionOf(request);
    const unit = asked ? await units.openOffered(owner, asked.version) : current;
    if (unit) return { unit };
    // A page of a version that is no longer offered is refused as out of date.
    return asked?.isInAddress ? UNKNOWN_VERSION : { unit: current };
  };

  return async (request: IncomingMessage): Promise<RequestDestination> => {
    const path = pathOf(request.url ?? "/");
    const site = await byHost(request);
    if (site) return site;
    if (path.startsWith(`${EVENTS_PATH}/`)) return byEvent(path.slice(EVENTS_PATH.length + 1));
    if (path.startsWith(`${TARGETS_PATH}/`)) return byTarget(path.slice(TARGETS_PATH.length + 1));
    const isBase = (request.headers.host ?? "").toLowerCase() === appsHost;
    if (isBase || path.startsWith("/platform/") || HEALTH_PATHS.includes(path)) return { handle: platformRoutes };
    return fallback;
  };
};
