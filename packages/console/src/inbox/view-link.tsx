import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { formatNumber } from "../i18n/format.ts";
import type { InboxSearch } from "./inbox-search.ts";
import { inboxMessages as texts } from "./messages.ts";
import styles from "./views.module.css";

interface ViewLinkProps {
  readonly label: string;
  readonly search: InboxSearch;
  readonly isCurrent: boolean;
  readonly count?: number | undefined;
  /** Closes the menu that contains it. */
  readonly onChoose?: (() => void) | undefined;
  /** Element before the label. */
  readonly children?: ReactNode;
}

/** A view in the list of views. */
export const ViewLink = ({ label, search, isCurrent, count, onChoose, children }: ViewLinkProps) => (
  <Link
    to="/inbox"
    search={search}
    className={styles.link ?? ""}
    data-current={isCurrent}
    aria-current={isCurrent ? "true" : undefined}
    activeProps={{}}
    {...(onChoose && { onClick: onChoose })}
  >
    {children}
    <span className={styles.label}>{label}</span>
    {count !== undefined && (
      <span className={styles.count}>
        {formatNumber(count)}
        <span className="visually-hidden"> {texts.conversationsNoun(count)}</span>
      </span>
    )}
  </Link>
);
