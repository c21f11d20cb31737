import type { ReactNode } from "react";
import styles from "./empty-state.module.css";
import { Icon, type IconName } from "./icon.tsx";
import { usePageTitle } from "./page-title.ts";

interface EmptyStateProps {
  readonly icon: IconName;
  readonly title: string;
  /** The title is the only heading of the page. */
  readonly isPage?: boolean;
  /** Explanation. */
  readonly text?: string;
  /** The first step. */
  readonly children?: ReactNode;
}

/** Shown in place of a list or a page that has nothing to show yet. */
export const EmptyState = ({ icon, title, isPage = false, text, children }: EmptyStateProps) => {
  usePageTitle(isPage ? [title] : undefined);
  return (
    <div className={styles.empty}>
      <span className={styles.icon}>
        <Icon name={icon} />
      </span>
      {isPage ? <h1 className={styles.title}>{title}</h1> : <p className={styles.title}>{title}</p>}
      {(text !== undefined || children !== undefined) && (
        <div className={styles.text}>
          {text !== undefined && <p>{text}</p>}
          {children}
        </div>
      )}
    </div>
  );
};
