import { Button as AriaButton } from "react-aria-components";
import { useStore } from "../state/store.ts";
import { Button } from "../ui/button.tsx";
import { EmptyState } from "../ui/empty-state.tsx";
import { Icon } from "../ui/icon.tsx";
import { searchMessages as texts } from "./messages.ts";
import { recentSearches } from "./recent-searches.ts";
import styles from "./search.module.css";

interface SearchStartProps {
  readonly agentId: string;
  readonly onChoose: (text: string) => void;
}

/** Shown before text is typed: how to search, and recent searches. */
export const SearchStart = ({ agentId, onChoose }: SearchStartProps) => {
  const setting = recentSearches(agentId);
  const recent = useStore(setting);
  return (
    <>
      {recent.length > 0 && (
        <section aria-label={texts.recent} className={styles.section}>
          <div className={styles.recentHead}>
            <h2 className={styles.heading}>{texts.recent}</h2>
            <Button isSmall variant="quiet" onPress={() => setting.change([])}>
              {texts.clearRecent}
            </Button>
          </div>
          <ul className={styles.list}>
            {recent.map((text) => (
              <li key={text}>
                <AriaButton className={styles.recent ?? ""} onPress={() => onChoose(text)}>
                  <Icon name="clock" />
                  {text}
                </AriaButton>
              </li>
            ))}
          </ul>
        </section>
      )}
      <EmptyState icon="search" title={texts.startTitle}>
        <ul className={styles.help}>
          <li>{texts.startWords}</li>
          <li>{texts.startQuotes}</li>
          <li>{texts.startMinus}</li>
        </ul>
      </EmptyState>
    </>
  );
};
