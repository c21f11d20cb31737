import { Link } from "@tanstack/react-router";
import { Icon } from "../../ui/icon.tsx";
import { useWorkspace } from "../../workspace/workspace.ts";
import { sectionsFor } from "../admin-pages.ts";
import styles from "../administration.module.css";
import { administrationMessages as texts } from "../messages.ts";
import { FirstDay } from "./first-day.tsx";
import { PageHeader } from "../page-header.tsx";

/** The pages of the administration, with a sentence about each page. */
export const OverviewPage = () => {
  const { role } = useWorkspace().agent;
  return (
    <div className={styles.page}>
      <PageHeader title={texts.title} intro={texts.intro} isOverview />
      <FirstDay />
      {sectionsFor(role).map(({ title, pages }) => (
        <section key={title} className={styles.overviewSection}>
          <h2 className={styles.heading}>{title}</h2>
          <ul className={styles.cards}>
            {pages.map(({ to, label, intro, icon }) => (
              <li key={to}>
                <Link to={to} className={styles.card}>
                  <Icon name={icon} />
                  <span>
                    <span className={styles.cardTitle}>{label}</span>
                    <span className={styles.muted}>{intro}</span>
                  </span>
                </Link>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </div>
  );
};
