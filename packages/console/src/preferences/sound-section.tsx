import { useStore } from "../state/store.ts";
import { Button } from "../ui/button.tsx";
import { Select } from "../ui/select.tsx";
import { showError } from "../ui/toast-store.ts";
import { preferenceMessages as texts } from "./messages.ts";
import { SOUNDS } from "./notification-choice.ts";
import { LabelledSwitch, PreferencesSection } from "./section.tsx";
import { notificationSetting } from "./settings.ts";
import { playSound, stopSound } from "./sound.ts";
import styles from "./preferences.module.css";

/** Whether notifications are heard, and how. */
export const SoundSection = () => {
  const choice = useStore(notificationSetting);
  const { hasSound, sound, volume } = choice;
  const change = (next: Partial<typeof choice>): void => notificationSetting.change({ ...choice, ...next });
  const play = (): void => void playSound(sound, volume).catch(showError);
  return (
    <PreferencesSection title={texts.sounds}>
      <LabelledSwitch
        label={texts.hasSound}
        help={texts.soundHelp}
        isSelected={hasSound}
        onChange={(isOn) => {
          if (!isOn) stopSound();
          change({ hasSound: isOn });
        }}
      />
      <div className={`${styles.row} ${styles.indented}`}>
        <div className={styles.sound}>
          <Select
            label={texts.sound}
            choices={SOUNDS.map((id) => ({ id, label: texts[id] }))}
            value={sound}
            onChange={(name) => change({ sound: name })}
          />
        </div>
        <label className={styles.volume}>
          {texts.volume}
          <input
            type="range"
            min={0}
            max={100}
            step={5}
            value={Math.round(volume * 100)}
            onChange={({ target }) => change({ volume: Number(target.value) / 100 })}
          />
        </label>
        <Button icon="play" onPress={play}>
          {texts.testSound}
        </Button>
      </div>
    </PreferencesSection>
  );
};
