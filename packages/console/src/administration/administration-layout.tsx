import { useQueryClient } from "@tanstack/react-query";
import { Link, Outlet, useLocation } from "@tanstack/react-router";
import { useEffect } from "../state/effects.ts";
import { EmptyState } from "../ui/empty-state.tsx";
import { Icon } from "../ui/icon.tsx";
import { usePageTitle } from "../ui/page-title.ts";
import { isAtLeast } from "../workspace/roles.ts";
import { rereadWorkspace, useWorkspace } from "../workspace/workspace.ts";
import { ADMIN_SECTIONS, sectionsFor } from "./admin-pages.ts";
import styles from "./administration.module.css";
import { administrationMessages as texts } from "./messages.ts";

/** Data that was read so shortly before a page was opened counts as fresh, such as data that was read while the console loads. @units milliseconds */
const FRESH_MS = 1_000;

const active = { "data-selected": true, "aria-current": "page" as const };

const Refused = () => <EmptyState isPage icon="eye" title={texts.refusedTitle} text={texts.refusedText} />;

/** The frame of the pages of the administration: their list, and the page. The service refuses what a role may not do; the frame says so before. */
export const AdministrationLayout = () => {
  const { pathname } = useLocation();
  const { role } = useWorkspace().agent;
  const queries = useQueryClient();
  // Names of what others have created meanwhile.
  useEffect(() => {
    rereadWorkspace(queries, { freshMs: FRESH_MS });
  }, [queries, pathname]);
  const page = ADMIN_SECTIONS.flatMap(({ pages }) => pages).find(({ to }) => pathname.startsWith(to));
  usePageTitle(page ? [page.label, texts.title] : [texts.title], { isFrame: true });
  const sections = sectionsFor(role);
  if (sections.length === 0 || (page && !isAtLeast(role, page.role))) return <Refused />;
  return (
    <div className={styles.layout} data-has-page={page !== undefined}>
      <nav className={styles.menu} aria-label={texts.pages}>
        {sections.map(({ title, pages }) => (
          <section key={title}>
            <h2 className={styles.menuTitle}>{title}</h2>
            <ul>
              {pages.map(({ to, label, icon }) => (
                <li key={to}>
                  <Link to={to} className={styles.menuEntry} activeProps={active}>
                    <Icon name={icon} />
                    {label}
                  </Link>
                </li>
              ))}
            </ul>
          </section>
        ))}
      </nav>
      <div className={styles.content}>
        <Outlet />
      </div>
    </div>
  );
};
