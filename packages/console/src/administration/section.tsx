import { Fragment, useId, type ReactNode } from "react";
import styles from "./administration.module.css";

interface SectionProps {
  readonly title: string;
  readonly intro?: string;
  /** Buttons beside the title. */
  readonly action?: ReactNode;
  /** In a frame of its own. */
  readonly isCard?: boolean;
  readonly children: ReactNode;
}

/** A part of a page, with its heading. */
export const Section = ({ title, intro, action, isCard = false, children }: SectionProps) => {
  const id = useId();
  return (
    <section aria-labelledby={id} className={isCard ? styles.cardSection : styles.section}>
      <div className={styles.sectionHeader}>
        <h2 id={id} className={styles.heading}>
          {title}
        </h2>
        {action}
      </div>
      {intro !== undefined && <p className={styles.muted}>{intro}</p>}
      {children}
    </section>
  );
};

interface FactsProps {
  /** Names with their values. A value that is undefined is left out. */
  readonly of: readonly (readonly [string, ReactNode])[];
  /** Each name beside its value, in place of above it. */
  readonly isList?: boolean;
}

/** Values with their names. */
export const Facts = ({ of, isList = false }: FactsProps) => (
  <dl className={isList ? styles.factList : styles.facts}>
    {of.map(([name, value]) =>
      value === undefined ? (
        <Fragment key={name} />
      ) : (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ),
    )}
  </dl>
);
