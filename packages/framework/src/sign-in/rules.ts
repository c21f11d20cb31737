import { isAtLeast, type AgentRole, type SessionAgent } from "@parley/contract";
import { CLIENT, EMBED_ROUTES, OWN_PAGE_FILES, OWN_PAGE_ROUTES, PROBE, RAISE_EVENTS } from "../pages/origin.ts";
import { CALLBACK_PATHS } from "../request/oauth/authorization.ts";
import { TARGETS_PATH } from "../runtime/triggers/targets.ts";
import { HANDOVER_ROUTE, ENTRY_ROUTE } from "./handover.ts";

/** Exchanges a ticket of the service for a session of a published app's page. */
export const TICKET_ROUTE = "/enter";

/**
 * Requirement of a route: no session (`open`), a session of the app's account (`account`), a session whose agent reaches customers
 * (`agent`), or a session with this role or a higher role.
 */
type RouteNeed = "open" | "account" | "agent" | AgentRole;

/**
 * Routes without a session: resources that are requested without cookies, because the page that requests them has another
 * origin, and routes with another authentication. The files contain code and styles, no data of an installation.
 */
const OPEN_ROUTES: readonly string[] = [
  "/app/*",
  CLIENT,
  PROBE,
  "/custom_configs/page.css",
  ...OWN_PAGE_FILES,
  OWN_PAGE_ROUTES.client,
  EMBED_ROUTES.page,
  EMBED_ROUTES.script,
  EMBED_ROUTES.style,
  RAISE_EVENTS,
  // A ticket admits to them.
  ENTRY_ROUTE,
  TICKET_ROUTE,
  EMBED_ROUTES.session,
  // The state of the authorisation and the browser's cookie admit to these.
  ...CALLBACK_PATHS,
  // The signature of the service admits to it.
  "/events",
];
/** Routes below these are authenticated by the secret in their address, the signature of the service, and the admin key. */
const OPEN_BELOW: readonly string[] = [`${TARGETS_PATH}/`, "/events/", "/admin/", "/platform/"];

/** Both check further: the page after the handover has a need of its own, and a connection belongs to the account or to an agent. */
const ACCOUNT_ROUTES: readonly string[] = [HANDOVER_ROUTE, "/oauth/:integration/authorize"];

/**
 * Requirement of a route. A route that is listed nowhere needs an admin, as the installation page does.
 * @shape route: as registered, with parameters; undefined for an address without a route
 */
export const routeNeed = (route: string | undefined): RouteNeed => {
  if (route === undefined) return "open";
  if (OPEN_ROUTES.includes(route) || OPEN_BELOW.some((below) => route.startsWith(below))) return "open";
  if (ACCOUNT_ROUTES.includes(route)) return "account";
  return route === "/" || route === EMBED_ROUTES.model || route.startsWith("/front/") ? "agent" : "ADMIN";
};

/** Why an agent is not admitted, in a sentence; undefined if it is admitted. */
export const agentFault = (
  need: Exclude<RouteNeed, "open">,
  agent: SessionAgent,
  account: string,
): string | undefined => {
  if (agent.account !== account)
    return `This app belongs to the account ${account}, and you are signed in to ${agent.account}.`;
  if (need === "account") return undefined;
  if (need === "agent")
    return agent.scope === "None" ? "Your scope is None: you can't see conversations with customers." : undefined;
  return isAtLeast(agent.role_id, need) ? undefined : "This page is for admins of the account.";
};
