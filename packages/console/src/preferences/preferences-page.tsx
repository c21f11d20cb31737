import { LANGUAGE_NAMES, LANGUAGES, changeLanguage, currentLanguage } from "../i18n/language.ts";
import { letterSetting } from "../shortcuts/letter-setting.ts";
import { commands } from "../shortcuts/shortcuts.ts";
import { useStore } from "../state/store.ts";
import { Button } from "../ui/button.tsx";
import { Select } from "../ui/select.tsx";
import { usePageTitle } from "../ui/page-title.ts";
import { LabelledSwitch, PreferencesSection } from "./section.tsx";
import { preferenceMessages as texts } from "./messages.ts";
import { NotificationSection } from "./notification-section.tsx";
import styles from "./preferences.module.css";
import { DENSITIES, densitySetting, enterSendsSetting } from "./settings.ts";
import { SoundSection } from "./sound-section.tsx";
import { themeSetting, THEMES } from "./theme.ts";

const Appearance = () => {
  const chosenTheme = useStore(themeSetting);
  const density = useStore(densitySetting);
  return (
    <PreferencesSection title={texts.appearance}>
      <div className={styles.fields}>
        <Select
          label={texts.theme}
          choices={THEMES.map((id) => ({ id, label: texts[id] }))}
          value={chosenTheme}
          onChange={themeSetting.change}
        />
        <Select
          label={texts.density}
          choices={DENSITIES.map((id) => ({ id, label: texts[id] }))}
          value={density}
          onChange={densitySetting.change}
        />
        <Select
          label={texts.language}
          help={texts.languageHelp}
          choices={LANGUAGES.map((id) => ({ id, label: LANGUAGE_NAMES[id] }))}
          value={currentLanguage()}
          onChange={(language) => {
            if (language !== currentLanguage()) changeLanguage(language);
          }}
        />
      </div>
    </PreferencesSection>
  );
};

const Writing = () => {
  const enterSends = useStore(enterSendsSetting);
  const areLetters = useStore(letterSetting);
  return (
    <PreferencesSection title={texts.writing}>
      <LabelledSwitch
        label={texts.enterSends}
        help={texts.enterSendsHelp}
        isSelected={enterSends}
        onChange={enterSendsSetting.change}
      />
      <LabelledSwitch
        label={texts.letters}
        help={texts.lettersHelp}
        isSelected={areLetters}
        onChange={letterSetting.change}
      />
      <div>
        <Button icon="keyboard" onPress={() => commands.get().get("shortcuts")?.run()}>
          {texts.shortcuts}
        </Button>
      </div>
    </PreferencesSection>
  );
};

/** Choices of this agent and this browser. */
export const PreferencesPage = () => {
  usePageTitle([texts.title]);
  return (
    <div className={styles.page}>
      <h1 className={styles.title}>{texts.title}</h1>
      <p className={styles.scope}>
        {texts.scope} {texts.account} <a href="/profile">{texts.profile}</a>.
      </p>
      <Appearance />
      <NotificationSection />
      <SoundSection />
      <Writing />
    </div>
  );
};
