import type { AgentRole } from "@parley/contract";
import { Link, useLocation } from "@tanstack/react-router";
import { useConsoleApps } from "../apps/console-apps.ts";
import { isAtLeast } from "../workspace/roles.ts";
import { useWorkspace } from "../workspace/workspace.ts";
import { openTestCustomer } from "../test-customer/test-customer-state.ts";
import { Hint } from "../ui/hint.tsx";
import { Icon, type IconName } from "../ui/icon.tsx";
import { AgentMenu } from "./agent-menu.tsx";
import { appMessages as texts } from "./messages.ts";
import { Button } from "react-aria-components";
import styles from "./navigation.module.css";

interface Entry {
  readonly to: "/inbox" | "/customers" | "/search" | "/templates" | "/admin" | "/admin/reports" | "/preferences";
  readonly icon: IconName;
  readonly label: string;
  /** Also selected on pages below this path. */
  readonly also?: string;
  /** The least powerful role that has it; every role when absent. */
  readonly from?: AgentRole;
  /** The most powerful role that has it. */
  readonly upTo?: AgentRole;
}

const ENTRIES: readonly Entry[] = [
  { to: "/inbox", icon: "inbox", label: texts.inbox, also: "/conversations/" },
  { to: "/customers", icon: "people", label: texts.customers },
  { to: "/search", icon: "search", label: texts.search },
  { to: "/templates", icon: "template", label: texts.templates },
  { to: "/admin", icon: "shield", label: texts.administration, from: "ADMIN" },
  // The pages of the administration for a role that has no other pages.
  {
    to: "/admin/reports",
    icon: "chart",
    label: texts.reports,
    also: "/admin/",
    from: "SUPER_USER",
    upTo: "SUPER_USER",
  },
  { to: "/preferences", icon: "settings", label: texts.preferences },
];

const active = { "data-selected": true, "aria-current": "page" as const };

/** Links to the pages: at the side of a wide window, at the bottom of a narrow window. */
export const Navigation = () => {
  const { pathname } = useLocation();
  const { role, scope } = useWorkspace().agent;
  const pages = useConsoleApps().flatMap(({ name, title, places }) =>
    places
      .filter(({ kind }) => kind === "page" || kind === "panel")
      .map(({ id, label }) => ({ name, title, id, label })),
  );
  return (
    <nav className={styles.rail} aria-label={texts.main}>
      <ul className={styles.list}>
        {ENTRIES.filter(({ from = role, upTo = role }) => isAtLeast(role, from) && isAtLeast(upTo, role)).map(
          ({ to, icon, label, also }) => (
            <li key={to}>
              <Link
                to={to}
                className={styles.entry}
                activeProps={active}
                activeOptions={{ includeSearch: false }}
                {...(also !== undefined && pathname.startsWith(also) && active)}
              >
                <Icon name={icon} />
                <span className={styles.label}>{label}</span>
              </Link>
            </li>
          ),
        )}
        {pages.map(({ name, title, id, label }) => (
          <li key={`${name} ${id}`}>
            <Link
              to="/apps/$app/$place"
              params={{ app: name, place: id }}
              className={styles.entry}
              activeProps={active}
            >
              <Icon name="app" />
              <span className={styles.label}>{pages.length > 1 ? label : title}</span>
            </Link>
          </li>
        ))}
      </ul>
      <div className={styles.end}>
        {/* A test customer's conversation would be out of reach. */}
        {scope !== "None" && (
          <Hint text={texts.testCustomer}>
            <Button className={styles.entry ?? ""} onPress={openTestCustomer} aria-label={texts.testCustomer}>
              <Icon name="play" />
            </Button>
          </Hint>
        )}
        <AgentMenu />
      </div>
    </nav>
  );
};
