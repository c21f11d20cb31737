import { useId, type ReactNode } from "react";
import { Button } from "react-aria-components";
import { createSetting } from "../state/setting.ts";
import { useStore } from "../state/store.ts";
import { Icon } from "../ui/icon.tsx";
import styles from "./details.module.css";

/** Sections of the details. */
const SECTIONS = [
  "customer",
  "page",
  "assignment",
  "conversation",
  "customerProperties",
  "earlier",
  "ratings",
  "apps",
] as const;
type SectionName = (typeof SECTIONS)[number];

/** Sections that the agent has closed. */
const closedSections = createSetting<ReadonlySet<string>>({
  key: "parley-closed-details",
  parse: (text) => new Set((text ?? "").split(" ").filter((name) => SECTIONS.some((each) => each === name))),
  format: (names) => (names.size === 0 ? null : [...names].join(" ")),
});

const toggle = (name: SectionName): void => {
  const closed = closedSections.get();
  const others = [...closed].filter((each) => each !== name);
  closedSections.change(new Set(closed.has(name) ? others : [...others, name]));
};

interface SectionProps {
  readonly name: SectionName;
  readonly title: string;
  /** Keeps its contents while it is closed, such as frames that would have to load again. */
  readonly isKept?: boolean;
  readonly children: ReactNode;
}

/** A section that the agent opens and closes, in all conversations. */
export const DetailsSection = ({ name, title, isKept = false, children }: SectionProps) => {
  const id = useId();
  const isOpen = !useStore(closedSections).has(name);
  return (
    <section aria-labelledby={`${id}-title`} className={styles.section}>
      <h3 className={styles.heading}>
        <Button
          id={`${id}-title`}
          className={styles.toggle ?? ""}
          aria-expanded={isOpen}
          aria-controls={`${id}-content`}
          onPress={() => toggle(name)}
        >
          <Icon name={isOpen ? "down" : "right"} />
          {title}
        </Button>
      </h3>
      <div id={`${id}-content`} className={styles.content} hidden={!isOpen}>
        {(isOpen || isKept) && children}
      </div>
    </section>
  );
};
