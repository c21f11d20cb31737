import { createRootRoute, createRoute, createRouter, lazyRouteComponent, redirect } from "@tanstack/react-router";
import type { ReportAddress } from "../administration/reports/report-view.ts";
import { checkDirectoryAddress } from "../customers/directory-search.ts";
import { checkInboxSearch } from "../inbox/inbox-search.ts";
import { InboxPage } from "../inbox/inbox-page.tsx";
import { checkSearchAddress } from "../search/search-address.ts";
import { Spinner } from "../ui/spinner.tsx";
import { ErrorPage } from "./error-page.tsx";
import { NotFoundPage } from "./not-found-page.tsx";
import { Shell } from "./shell.tsx";

const rootRoute = createRootRoute({ component: Shell, notFoundComponent: NotFoundPage });

const homeRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/",
  beforeLoad: () => {
    // eslint-disable-next-line @typescript-eslint/only-throw-error -- the router takes a thrown redirect
    throw redirect({ to: "/inbox", replace: true });
  },
});

/** One page for both addresses, so that the list remains while conversations are opened and closed. */
const inboxLayout = createRoute({
  getParentRoute: () => rootRoute,
  id: "inbox-layout",
  validateSearch: checkInboxSearch,
  component: InboxPage,
});
/** The list of a view. */
const inboxRoute = createRoute({ getParentRoute: () => inboxLayout, path: "/inbox" });
/** The list of a view with one of its conversations. The address of a conversation leads here. `message`: the message to show. */
const conversationRoute = createRoute({
  getParentRoute: () => inboxLayout,
  path: "/conversations/$conversationId",
  validateSearch: (search: Readonly<Record<string, unknown>>): { readonly message?: string } =>
    typeof search["message"] === "string" ? { message: search["message"] } : {},
});

const customersRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/customers",
  validateSearch: checkDirectoryAddress,
  component: lazyRouteComponent(() => import("../customers/customers-page.tsx"), "CustomersPage"),
});
const customerRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/customers/$customerId",
  component: lazyRouteComponent(() => import("../customers/customer-page.tsx"), "CustomerPage"),
});
const searchRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/search",
  validateSearch: checkSearchAddress,
  component: lazyRouteComponent(() => import("../search/search-page.tsx"), "SearchPage"),
});
const templatesRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/templates",
  component: lazyRouteComponent(() => import("../templates/templates-page.tsx"), "TemplatesPage"),
});
const preferencesRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/preferences",
  component: lazyRouteComponent(() => import("../preferences/preferences-page.tsx"), "PreferencesPage"),
});
const adminLayout = createRoute({
  getParentRoute: () => rootRoute,
  path: "/admin",
  component: lazyRouteComponent(() => import("../administration/administration-layout.tsx"), "AdministrationLayout"),
});
const adminOverviewRoute = createRoute({
  getParentRoute: () => adminLayout,
  path: "/",
  component: lazyRouteComponent(() => import("../administration/overview/overview-page.tsx"), "OverviewPage"),
});
const agentsRoute = createRoute({
  getParentRoute: () => adminLayout,
  path: "/agents",
  component: lazyRouteComponent(() => import("../administration/agents/agents-page.tsx"), "AgentsPage"),
});
const agentRoute = createRoute({
  getParentRoute: () => adminLayout,
  path: "/agents/$agentId",
  component: lazyRouteComponent(() => import("../administration/agents/agent-page.tsx"), "AgentPage"),
});
const rolesRoute = createRoute({
  getParentRoute: () => adminLayout,
  path: "/roles",
  component: lazyRouteComponent(() => import("../administration/roles/roles-page.tsx"), "RolesPage"),
});
const identityProvidersRoute = createRoute({
  getParentRoute: () => adminLayout,
  path: "/identity-providers",
  component: lazyRouteComponent(
    () => import("../administration/identity-providers/providers-page.tsx"),
    "IdentityProvidersPage",
  ),
});
const accountSection = () => import("../administration/account-section.ts");
const accountRoute = createRoute({
  getParentRoute: () => adminLayout,
  path: "/account",
  component: lazyRouteComponent(accountSection, "AccountPage"),
});
const topicsRoute = createRoute({
  getParentRoute: () => adminLayout,
  path: "/topics",
  component: lazyRouteComponent(accountSection, "TopicsPage"),
});
const fieldsRoute = createRoute({
  getParentRoute: () => adminLayout,
  path: "/fields",
  component: lazyRouteComponent(accountSection, "FieldsPage"),
});
const hoursRoute = createRoute({
  getParentRoute: () => adminLayout,
  path: "/business-hours",
  component: lazyRouteComponent(accountSection, "HoursPage"),
});
const outboundTemplatesRoute = createRoute({
  getParentRoute: () => adminLayout,
  path: "/outbound-templates",
  component: lazyRouteComponent(accountSection, "OutboundTemplatesPage"),
});
const outboundMessagesRoute = createRoute({
  getParentRoute: () => adminLayout,
  path: "/outbound-messages",
  component: lazyRouteComponent(accountSection, "OutboundMessagesPage"),
});
const groupsRoute = createRoute({
  getParentRoute: () => adminLayout,
  path: "/groups",
  component: lazyRouteComponent(() => import("../administration/groups/groups-page.tsx"), "GroupsPage"),
});
const reportsRoute = createRoute({
  getParentRoute: () => adminLayout,
  path: "/reports",
  // The page checks the values: its rules load with it.
  validateSearch: (search: ReportAddress) => search,
  component: lazyRouteComponent(() => import("../administration/reports/reports-page.tsx"), "ReportsPage"),
});
const rawReportsRoute = createRoute({
  getParentRoute: () => adminLayout,
  path: "/raw-reports",
  component: lazyRouteComponent(() => import("../administration/raw-reports/raw-reports-page.tsx"), "RawReportsPage"),
});
const tokensRoute = createRoute({
  getParentRoute: () => adminLayout,
  path: "/tokens",
  component: lazyRouteComponent(() => import("../administration/tokens/tokens-page.tsx"), "TokensPage"),
});
const adminAppsRoute = createRoute({
  getParentRoute: () => adminLayout,
  path: "/apps",
  component: lazyRouteComponent(() => import("../administration/apps/apps-page.tsx"), "AppsPage"),
});
const adminAppRoute = createRoute({
  getParentRoute: () => adminLayout,
  path: "/apps/$name",
  component: lazyRouteComponent(() => import("../administration/apps/app-page.tsx"), "AppPage"),
});
const appRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/apps/$app/$place",
  component: lazyRouteComponent(() => import("../apps/app-page.tsx"), "AppPage"),
});

const routeTree = rootRoute.addChildren([
  homeRoute,
  inboxLayout.addChildren([inboxRoute, conversationRoute]),
  customersRoute,
  customerRoute,
  searchRoute,
  templatesRoute,
  preferencesRoute,
  adminLayout.addChildren([
    adminOverviewRoute,
    groupsRoute,
    adminAppsRoute,
    adminAppRoute,
    tokensRoute,
    reportsRoute,
    rawReportsRoute,
    agentsRoute,
    agentRoute,
    rolesRoute,
    identityProvidersRoute,
    accountRoute,
    topicsRoute,
    fieldsRoute,
    hoursRoute,
    outboundTemplatesRoute,
    outboundMessagesRoute,
  ]),
  appRoute,
]);

export const router = createRouter({
  routeTree,
  basepath: "/console",
  defaultPreload: "intent",
  defaultErrorComponent: ErrorPage,
  defaultPendingComponent: () => <Spinner />,
  scrollRestoration: false,
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
