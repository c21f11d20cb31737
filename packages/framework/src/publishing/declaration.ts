import {
  BASE_PATH,
  MODULES,
  PRODUCT_EVENTS,
  routeOf,
  SET_UP_EVENTS,
  type AppDeclaration,
  type Endpoint,
} from "@parley/contract";
import { appTitle, type Project } from "../model/project.ts";
import { keyPermissions, reachedEndpoints } from "../package/validate/key-permissions.ts";

/** A host with an optional scheme before it and an optional path after it. A slash in a placeholder belongs to the placeholder. */
const HOST = /^(?:https?:\/\/)?((?:<%=[\s\S]*?%>|[^/?#])*)/i;

/** The host of an address or of an entry of the manifest, as written. */
const hostIn = (text: string): string => (HOST.exec(text.trim())?.[1] ?? "").trim();

/** Hosts that the app's requests, its code and its OAuth integrations name. */
const hostsOf = ({ requests, whitelistedDomains = [], declaredHosts, oauth }: Project): string[] => {
  const integrations = Object.values(oauth?.integrations ?? {});
  const texts = [
    ...Object.values(requests).map(({ schema }) => schema.host),
    ...whitelistedDomains,
    ...declaredHosts,
    ...integrations.flatMap(({ authorize_url, token_url }) => [authorize_url, token_url]),
  ];
  return [...new Set(texts.map(hostIn))].filter((host) => host !== "").sort();
};

const endpointName = (row: Endpoint): string => {
  const { method, path } = routeOf(row);
  return `${method} ${BASE_PATH}${path}`;
};

/** Events that the service or the installation causes. */
const LISTED_EVENTS: ReadonlySet<string> = new Set([
  ...Object.values(PRODUCT_EVENTS).map(({ name }) => name),
  ...SET_UP_EVENTS,
]);

const eventsOf = ({ handlers }: Project): string[] => [
  ...new Set(
    handlers.flatMap(({ module, event }) =>
      Object.hasOwn(MODULES, module) && LISTED_EVENTS.has(event) ? [event] : [],
    ),
  ),
];

const placesOf = ({ manifest }: Project): string[] => [
  ...new Set(
    Object.values(manifest.modules).flatMap(({ location = {} }) =>
      Object.entries(location).flatMap(([name, { url }]) => (url ? [name] : [])),
    ),
  ),
];

/**
 * Derives what a version of an app does from its files.
 * @shape domainSuffix: the part of an account's host after its name: ".parley.localhost"
 */
export const appDeclaration = (project: Project, domainSuffix: string): AppDeclaration => {
  const { permissions, undecided } = keyPermissions(project, domainSuffix);
  const handles = (event: string) => project.handlers.some((one) => one.event === event && one.module === "common");
  return {
    title: appTitle(project.name),
    description: project.description,
    permissions: [...permissions],
    undecided: undecided.map((request) => ({ ...request })),
    hosts: hostsOf(project),
    endpoints: reachedEndpoints(project, domainSuffix).endpoints.map(endpointName),
    events: eventsOf(project),
    places: placesOf(project),
    handlesSchedules: handles("onScheduledEvent"),
    handlesExternalEvents: handles("onExternalEvent"),
  };
};
