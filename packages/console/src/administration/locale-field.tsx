import { useState } from "react";
import { Button } from "../ui/button.tsx";
import { TextField } from "../ui/text-field.tsx";
import styles from "./administration.module.css";
import { ADMIN_VALUES } from "./contract-values.ts";
import { entryMessages as texts } from "./entry-messages.ts";

const LOCALE = new RegExp(ADMIN_VALUES.accountPatterns.locale);

interface LocaleFieldProps {
  readonly onChoose: (locale: string) => void;
}

/** A field for a language that a list does not offer, such as that of one country. */
export const LocaleField = ({ onChoose }: LocaleFieldProps) => {
  const [locale, setLocale] = useState("");
  const [isRefused, setRefused] = useState(false);
  const choose = (): void => {
    const typed = locale.trim();
    if (LOCALE.test(typed) && typed.length <= ADMIN_VALUES.accountLimits.locale_characters) onChoose(typed);
    else setRefused(true);
  };
  return (
    <div className={styles.localeField}>
      <TextField
        label={texts.otherLanguage}
        placeholder="es-MX"
        value={locale}
        onChange={(next) => {
          setRefused(false);
          setLocale(next);
        }}
        onKeyDown={(event) => {
          if (event.key !== "Enter") return;
          event.preventDefault();
          choose();
        }}
        error={isRefused ? texts.localeInvalid : undefined}
      />
      <Button isSmall onPress={choose}>
        {texts.chooseLanguage}
      </Button>
    </div>
  );
};
