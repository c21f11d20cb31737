import type { ReactNode } from "react";
import styles from "./badge.module.css";
import { classes } from "./classes.ts";

export type BadgeTone = "neutral" | "accent" | "success" | "warning" | "danger";

/** A short text with a background, such as a status or a number. */
export const Badge = ({ tone = "neutral", children }: { readonly tone?: BadgeTone; readonly children: ReactNode }) => (
  <span className={classes(styles.badge, styles[tone])}>{children}</span>
);
