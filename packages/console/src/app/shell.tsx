import { Outlet, useLocation } from "@tanstack/react-router";
import { Suspense } from "react";
import { SessionEndedDialog } from "./session-ended-dialog.tsx";
import { listenToShortcuts } from "../shortcuts/shortcuts.ts";
import { useEffect } from "../state/effects.ts";
import { useStore } from "../state/store.ts";
import { isTestCustomerOpen } from "../test-customer/test-customer-state.ts";
import { classes } from "../ui/classes.ts";
import { EmptyState } from "../ui/empty-state.tsx";
import { keepFocus } from "../ui/focus-keeper.ts";
import { Spinner } from "../ui/spinner.tsx";
import { Toaster } from "../ui/toaster.tsx";
import { useWorkspace } from "../workspace/workspace.ts";
import { ConnectionBar } from "./connection-bar.tsx";
import { DocumentTitle } from "./document-title.tsx";
import { GlobalCommands } from "./global-commands.tsx";
import { appMessages as texts } from "./messages.ts";
import { Navigation } from "./navigation.tsx";
import { SignOutQuestion } from "./sign-out.tsx";
import styles from "./shell.module.css";

/** Pages without conversations and customers. */
const WITHOUT_SCOPE = ["/admin", "/preferences"];

/**
 * The page, unless it consists of conversations or customers and the scope of the agent is None. The scope decides about conversations and customers,
 * the role about everything else: an agent with the scope None keeps the pages of the administration.
 */
const Content = () => {
  const { agent } = useWorkspace();
  const { pathname } = useLocation();
  if (agent.scope === "None")
    return WITHOUT_SCOPE.some((path) => pathname.startsWith(path)) ? (
      <Outlet />
    ) : (
      <EmptyState isPage icon="eye" title={texts.noScopeTitle} text={texts.noScopeText} />
    );
  return <Outlet />;
};

/** The frame of all pages: navigation, state of the connection, the page, and what can be opened from anywhere. */
export const Shell = () => {
  const isTrying = useStore(isTestCustomerOpen);
  useEffect(() => {
    listenToShortcuts();
  }, []);
  useEffect(keepFocus, []);
  return (
    <Suspense fallback={<Spinner />}>
      <div className={classes(styles.shell, isTrying && styles.withTestCustomer)}>
        <a href="#content" className={styles.skip}>
          {texts.skip}
        </a>
        <Navigation />
        <DocumentTitle />
        <div className={styles.column}>
          <ConnectionBar />
          <main id="content" tabIndex={-1} className={styles.content}>
            <Suspense fallback={<Spinner />}>
              <Content />
            </Suspense>
          </main>
        </div>
      </div>
      <GlobalCommands />
      <SignOutQuestion />
      <SessionEndedDialog />
      <Toaster />
    </Suspense>
  );
};
