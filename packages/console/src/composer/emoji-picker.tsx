import { EMOJIS } from "@parley/contract/emoji";
import { useMemo, useState } from "react";
import { Autocomplete, Input, ListBox, ListBoxItem, SearchField } from "react-aria-components";
import { currentLanguage } from "../i18n/language.ts";
import field from "../ui/field.module.css";
import { findEntries } from "../ui/match-text.ts";
import popup from "../ui/popup.module.css";
import styles from "./emoji-picker.module.css";
import { composerMessages as texts } from "./messages.ts";

/** Emoji with a field that finds them by their names, in the language of the page or in English. */
const EmojiPicker = ({ onChoose }: { readonly onChoose: (emoji: string) => void }) => {
  const [typed, setTyped] = useState("");
  const items = useMemo(() => {
    const isGerman = currentLanguage() === "de";
    return EMOJIS.map(({ emoji, en, de }) => ({ id: emoji, name: isGerman ? de : en, otherName: isGerman ? en : de }));
  }, []);
  const found = useMemo(
    () =>
      findEntries(typed, items, ({ name, otherName }) => ({ names: [...name.split(", "), ...otherName.split(", ")] })),
    [typed, items],
  );
  return (
    <Autocomplete inputValue={typed} onInputChange={setTyped}>
      <SearchField aria-label={texts.findEmoji} autoFocus className={popup.search ?? ""}>
        <Input className={field.input ?? ""} placeholder={texts.findEmoji} />
      </SearchField>
      <ListBox
        aria-label={texts.emojis}
        layout="grid"
        items={found}
        className={styles.grid ?? ""}
        onAction={(key) => onChoose(String(key))}
        renderEmptyState={() => <p className={popup.section}>{texts.noEmoji}</p>}
      >
        {({ id, name }) => (
          <ListBoxItem id={id} textValue={name} aria-label={name} className={styles.emoji ?? ""}>
            <span title={name}>{id}</span>
          </ListBoxItem>
        )}
      </ListBox>
    </Autocomplete>
  );
};
export default EmojiPicker;
