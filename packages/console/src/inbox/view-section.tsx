import { useState, type ReactNode } from "react";
import { Button as AriaButton } from "react-aria-components";
import { Button } from "../ui/button.tsx";
import { Icon } from "../ui/icon.tsx";
import { inboxMessages as texts } from "./messages.ts";
import styles from "./views.module.css";

const KEY = "parley-inbox-sections";

const closedSections = (): readonly string[] => (localStorage.getItem(KEY) ?? "").split(" ");

const noteSection = (id: string, isOpen: boolean): void => {
  const others = closedSections().filter((each) => each !== id && each !== "");
  localStorage.setItem(KEY, [...others, ...(isOpen ? [] : [id])].join(" "));
};

interface SectionProps {
  readonly id: string;
  readonly label: string;
  readonly children: ReactNode;
}

/** A part of the list of views that can be closed. The browser remembers which parts are closed. */
export const ViewSectionFrame = ({ id, label, children }: SectionProps) => {
  const [isOpen, setOpen] = useState(() => !closedSections().includes(id));
  const toggle = (): void => {
    setOpen(!isOpen);
    noteSection(id, !isOpen);
  };
  return (
    <section className={styles.section}>
      <h3 className={styles.heading}>
        <AriaButton className={styles.toggle ?? ""} aria-expanded={isOpen} onPress={toggle}>
          <Icon name={isOpen ? "down" : "right"} />
          {label}
        </AriaButton>
      </h3>
      {isOpen && children}
    </section>
  );
};

/** Entries that a long section shows at first. */
const SHORT_LENGTH = 12;

/** -> the first entries, and the button that shows all of them @shape isKept: entries that are always shown */
export const useShortened = <T,>(entries: readonly T[], isKept: (entry: T) => boolean) => {
  const [isWhole, setWhole] = useState(false);
  const shown =
    isWhole || entries.length <= SHORT_LENGTH + 2
      ? entries
      : entries.filter((entry, index) => index < SHORT_LENGTH || isKept(entry));
  const more = shown.length < entries.length && (
    <Button isSmall variant="quiet" onPress={() => setWhole(true)}>
      {texts.showAll(entries.length)}
    </Button>
  );
  return { shown, more };
};
