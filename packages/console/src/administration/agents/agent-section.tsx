import type { ReactNode } from "react";
import administration from "../administration.module.css";
import styles from "./agents.module.css";

interface AgentSectionProps {
  readonly title: string;
  /** Beside the title. */
  readonly action?: ReactNode;
  readonly children: ReactNode;
}

/** A part of an agent's page. */
export const AgentSection = ({ title, action, children }: AgentSectionProps) => (
  <section aria-label={title} className={styles.section}>
    <div className={styles.sectionHeader}>
      <h2 className={administration.heading}>{title}</h2>
      {action}
    </div>
    {children}
  </section>
);

interface FactProps {
  readonly label: string;
  readonly children: ReactNode;
}

/** A value with its name, in a list of them. */
export const Fact = ({ label, children }: FactProps) => (
  <div>
    <dt>{label}</dt>
    <dd>{children}</dd>
  </div>
);
