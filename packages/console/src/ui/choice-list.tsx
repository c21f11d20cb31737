import { useMemo, useState } from "react";
import { Autocomplete, Input, ListBox, ListBoxItem, SearchField } from "react-aria-components";
import { PersonAvatar } from "./avatar.tsx";
import { Icon } from "./icon.tsx";
import { findEntries } from "./match-text.ts";
import { uiMessages } from "./messages.ts";
import field from "./field.module.css";
import styles from "./popup.module.css";

export interface ListedChoice {
  readonly id: string;
  readonly label: string;
  /** Further text in the line, which is searched too. */
  readonly detail?: string;
  /** A longer text, which is searched too. Its beginning is shown in a second line. */
  readonly description?: string;
  readonly avatarUrl?: string | undefined;
  /** Shows the picture or the initials of an agent, whose id it has. */
  readonly isPerson?: boolean;
}

interface ChoiceListProps {
  readonly label: string;
  readonly choices: readonly ListedChoice[];
  readonly chosen?: string | undefined;
  readonly onChoose: (id: string) => void;
  readonly empty?: string;
}

/** @units characters */
const SHOWN_DESCRIPTION = 200;

/** A list with a field that finds entries of it. */
const ChoiceList = ({ label, choices, chosen, onChoose, empty = uiMessages.noMatch }: ChoiceListProps) => {
  const [typed, setTyped] = useState("");
  const found = useMemo(
    () =>
      findEntries(typed, choices, ({ label: name, detail = "", description }) => ({
        names: [name, detail],
        text: description,
      })),
    [typed, choices],
  );
  return (
    <Autocomplete inputValue={typed} onInputChange={setTyped}>
      <SearchField aria-label={label} autoFocus className={styles.search ?? ""}>
        <Input className={field.input ?? ""} placeholder={label} />
      </SearchField>
      <ListBox
        aria-label={label}
        className={styles.list ?? ""}
        items={found}
        selectionMode="single"
        selectedKeys={chosen === undefined ? [] : [chosen]}
        onSelectionChange={(keys) => {
          // No change: the chosen entry was chosen again.
          const [key = chosen] = keys;
          if (keys !== "all" && key !== undefined) onChoose(String(key));
        }}
        renderEmptyState={() => <p className={styles.section}>{choices.length === 0 ? empty : uiMessages.noMatch}</p>}
      >
        {({ id, label: text, detail, description, avatarUrl, isPerson = false }) => (
          <ListBoxItem
            id={id}
            textValue={[text, detail, description].filter(Boolean).join(" ")}
            className={styles.item ?? ""}
          >
            {({ isSelected }) => (
              <>
                {isPerson && <PersonAvatar name={text} url={avatarUrl} of={{ agent_id: id }} isSmall />}
                <span className={styles.label}>
                  {text}
                  {description !== undefined && (
                    <span className={styles.description}>{description.slice(0, SHOWN_DESCRIPTION)}</span>
                  )}
                </span>
                {detail !== undefined && <span className={styles.detail}>{detail}</span>}
                {isSelected && <Icon name="check" />}
              </>
            )}
          </ListBoxItem>
        )}
      </ListBox>
    </Autocomplete>
  );
};
export default ChoiceList;
