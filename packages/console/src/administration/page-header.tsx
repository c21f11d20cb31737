import { Link, type LinkProps } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { Icon } from "../ui/icon.tsx";
import { usePageTitle } from "../ui/page-title.ts";
import styles from "./administration.module.css";
import { administrationMessages as texts } from "./messages.ts";

interface PageHeaderProps {
  readonly title: string;
  readonly intro: string;
  /** The page is the list of all pages itself, or has a link of its own to the page above it. */
  readonly isOverview?: boolean;
  /** Buttons of the page. */
  readonly children?: ReactNode;
}

interface BackLinkProps {
  readonly to: LinkProps["to"];
  readonly label: string;
}

/** Leads to the page above a page. */
export const BackLink = ({ to, label }: BackLinkProps) => (
  <Link to={to} className={styles.backLink}>
    <Icon name="back" />
    {label}
  </Link>
);

/** The heading of a page of the administration. In a narrow window it leads back to the list of pages, which has no space beside it. */
export const PageHeader = ({ title, intro, isOverview = false, children }: PageHeaderProps) => {
  usePageTitle([title, texts.title]);
  return (
    <header className={styles.header}>
      <div>
        {!isOverview && (
          <Link to="/admin" className={styles.back}>
            <Icon name="back" />
            {texts.title}
          </Link>
        )}
        <h1 className={styles.title}>{title}</h1>
        <p className={styles.muted}>{intro}</p>
      </div>
      {children}
    </header>
  );
};
