import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import type { ReportAddress } from "../administration/reports/report-view.ts";
import { rootRoute } from "./root-route.ts";

// The pages of a section load together: the first page of the console lists the files of each import.
const accountSection = () => import("../administration/sections/account.ts");
const teamSection = () => import("../administration/sections/team.ts");
const appsSection = () => import("../administration/sections/apps.ts");
const reportsSection = () => import("../administration/sections/reports.ts");
const developersSection = () => import("../administration/sections/developers.ts");

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
  component: lazyRouteComponent(teamSection, "AgentsPage"),
});
const agentRoute = createRoute({
  getParentRoute: () => adminLayout,
  path: "/agents/$agentId",
  component: lazyRouteComponent(teamSection, "AgentPage"),
});
const rolesRoute = createRoute({
  getParentRoute: () => adminLayout,
  path: "/roles",
  component: lazyRouteComponent(teamSection, "RolesPage"),
});
const identityProvidersRoute = createRoute({
  getParentRoute: () => adminLayout,
  path: "/identity-providers",
  component: lazyRouteComponent(teamSection, "IdentityProvidersPage"),
});
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
const messengerRoute = createRoute({
  getParentRoute: () => adminLayout,
  path: "/messenger",
  component: lazyRouteComponent(accountSection, "MessengerPage"),
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
  component: lazyRouteComponent(teamSection, "GroupsPage"),
});
const reportsRoute = createRoute({
  getParentRoute: () => adminLayout,
  path: "/reports",
  // The page checks the values: its rules load with it.
  validateSearch: (search: ReportAddress) => search,
  component: lazyRouteComponent(reportsSection, "ReportsPage"),
});
const rawReportsRoute = createRoute({
  getParentRoute: () => adminLayout,
  path: "/raw-reports",
  component: lazyRouteComponent(reportsSection, "RawReportsPage"),
});
const tokensRoute = createRoute({
  getParentRoute: () => adminLayout,
  path: "/tokens",
  component: lazyRouteComponent(developersSection, "TokensPage"),
});
const adminAppsRoute = createRoute({
  getParentRoute: () => adminLayout,
  path: "/apps",
  component: lazyRouteComponent(appsSection, "AppsPage"),
});
const adminAppRoute = createRoute({
  getParentRoute: () => adminLayout,
  path: "/apps/$name",
  component: lazyRouteComponent(appsSection, "AppDetailsPage"),
});
const webhooksRoute = createRoute({
  getParentRoute: () => adminLayout,
  path: "/webhooks",
  component: lazyRouteComponent(developersSection, "WebhooksPage"),
});
const deliveriesRoute = createRoute({
  getParentRoute: () => adminLayout,
  path: "/webhooks/$webhookId",
  component: lazyRouteComponent(developersSection, "DeliveriesPage"),
});
const auditLogRoute = createRoute({
  getParentRoute: () => adminLayout,
  path: "/audit-log",
  component: lazyRouteComponent(accountSection, "AuditLogPage"),
});

/** The pages of the administration. */
export const adminPageRoutes = adminLayout.addChildren([
  adminOverviewRoute,
  agentsRoute,
  agentRoute,
  rolesRoute,
  identityProvidersRoute,
  accountRoute,
  topicsRoute,
  messengerRoute,
  fieldsRoute,
  hoursRoute,
  outboundTemplatesRoute,
  outboundMessagesRoute,
  groupsRoute,
  reportsRoute,
  rawReportsRoute,
  tokensRoute,
  adminAppsRoute,
  adminAppRoute,
  webhooksRoute,
  deliveriesRoute,
  auditLogRoute,
]);
