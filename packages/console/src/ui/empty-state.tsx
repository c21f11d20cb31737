import type { ReactNode } from "react";
import styles from "./empty-state.module.css";
import { Icon, type IconName } from "./icon.tsx";
import { usePageTitle } from "./page-title.ts";

interface EmptyStateProps {
  readonly icon: IconName;
  readonly title: string;
  /** The title is the only heading of the page. */
  readonly isPage?: boolean;
  /** Explanation, and the first step. */
  readonly children?: ReactNode;
}

/** Shown in place of a list or a page that has nothing to show yet. */
export const EmptyState = ({ icon, title, isPage = false, children }: EmptyStateProps) => {
  usePageTitle(isPage ? [title] : undefined);
  return (
    <div className={styles.empty}>
      <span className={styles.icon}>
        <Icon name={icon} />
      </span>
      {isPage ? <h1 className={styles.title}>{title}</h1> : <p className={styles.title}>{title}</p>}
      {children !== undefined && <div className={styles.text}>{children}</div>}
    </div>
  );
};
