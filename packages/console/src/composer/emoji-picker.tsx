import { useMemo } from "react";
import { Autocomplete, Input, ListBox, ListBoxItem, SearchField, useFilter } from "react-aria-components";
import { currentLanguage } from "../i18n/language.ts";
import field from "../ui/field.module.css";
import popup from "../ui/popup.module.css";
import { EMOJIS } from "./emoji-data.ts";
import styles from "./emoji-picker.module.css";
import { composerMessages as texts } from "./messages.ts";

/** Emoji with a field that finds them by their names, in the language of the page or in English. */
const EmojiPicker = ({ onChoose }: { readonly onChoose: (emoji: string) => void }) => {
  const { contains } = useFilter({ sensitivity: "base" });
  const items = useMemo(() => {
    const isGerman = currentLanguage() === "de";
    return EMOJIS.map(({ emoji, en, de }) => ({ id: emoji, name: isGerman ? de : en, both: `${en} ${de}` }));
  }, []);
  return (
    <Autocomplete filter={contains}>
      <SearchField aria-label={texts.findEmoji} autoFocus className={popup.search ?? ""}>
        <Input className={field.input ?? ""} placeholder={texts.findEmoji} />
      </SearchField>
      <ListBox
        aria-label={texts.emojis}
        layout="grid"
        items={items}
        className={styles.grid ?? ""}
        onAction={(key) => onChoose(String(key))}
        renderEmptyState={() => <p className={popup.section}>{texts.noEmoji}</p>}
      >
        {({ id, name, both }) => (
          <ListBoxItem id={id} textValue={both} aria-label={name} className={styles.emoji ?? ""}>
            <span title={name}>{id}</span>
          </ListBoxItem>
        )}
      </ListBox>
    </Autocomplete>
  );
};
export default EmojiPicker;
