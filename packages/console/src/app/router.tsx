import { createRoute, createRouter, lazyRouteComponent, redirect } from "@tanstack/react-router";
import { checkDirectoryAddress } from "../customers/directory-search.ts";
import { checkInboxSearch } from "../inbox/inbox-search.ts";
import { checkSearchAddress } from "../search/search-address.ts";
import { Spinner } from "../ui/spinner.tsx";
import { ErrorPage } from "./error-page.tsx";
import { adminPageRoutes } from "./admin-routes.ts";
import { rootRoute } from "./root-route.ts";

const homeRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/",
  beforeLoad: () => {
    // eslint-disable-next-line @typescript-eslint/only-throw-error -- the router takes a thrown redirect
    throw redirect({ to: "/inbox", replace: true });
  },
});

/** Loads the page of the inbox, which pages of the administration are opened without. */
export const loadInboxPage = () => import("../inbox/inbox-page.tsx");

/** One page for both addresses, so that the list remains while conversations are opened and closed. */
const inboxLayout = createRoute({
  getParentRoute: () => rootRoute,
  id: "inbox-layout",
  validateSearch: checkInboxSearch,
  component: lazyRouteComponent(loadInboxPage, "InboxPage"),
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
/** A page of an app, or any other of its places alone. `conversation`: the conversation that the app is shown with. */
const appRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/apps/$app/$place",
  validateSearch: (search: Readonly<Record<string, unknown>>): { readonly conversation?: string } =>
    typeof search["conversation"] === "string" ? { conversation: search["conversation"] } : {},
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
  adminPageRoutes,
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
