import type { ReactNode } from "react";
import { Link } from "react-aria-components";
import button from "../../ui/button.module.css";
import { classes } from "../../ui/classes.ts";
import { Icon } from "../../ui/icon.tsx";
import styles from "./apps.module.css";
import { appsPageMessages as texts } from "./messages.ts";

interface PageLinkProps {
  readonly href: string;
  readonly isPrimary?: boolean;
  readonly children: ReactNode;
}

/** A link, drawn as a button, to a page of an app. The page has a session of its own, which begins by that of the console. */
export const PageLink = ({ href, isPrimary = false, children }: PageLinkProps) => (
  <Link
    href={href}
    target="_blank"
    rel="noopener"
    className={classes(button.button, isPrimary ? button.primary : button.secondary, styles.pageLink)}
  >
    {children}
    <Icon name="external" />
    <span className="visually-hidden">{texts.opensTab}</span>
  </Link>
);
