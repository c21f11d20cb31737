import { Icon } from "../ui/icon.tsx";
import styles from "./composer.module.css";
import { composerMessages as texts } from "./messages.ts";

interface ModeSwitchProps {
  readonly isPrivate: boolean;
  readonly isDisabled: boolean;
  /** Something is written in the mode that is not chosen. */
  readonly hasOther: boolean;
  readonly onChange: (isPrivate: boolean) => void;
}

/** The choice between a reply and a private note. */
export const ModeSwitch = ({ isPrivate, isDisabled, hasOther, onChange }: ModeSwitchProps) => (
  <fieldset className={styles.modes} disabled={isDisabled}>
    <legend className="visually-hidden">{texts.mode}</legend>
    {[false, true].map((isNote) => (
      <label key={String(isNote)} className={styles.mode} data-note={isNote} data-selected={isNote === isPrivate}>
        <input
          type="radio"
          className="visually-hidden"
          name="parley-composer-mode"
          checked={isNote === isPrivate}
          onChange={() => onChange(isNote)}
        />
        <Icon name={isNote ? "note" : "reply"} />
        {isNote ? texts.note : texts.reply}
        {hasOther && isNote !== isPrivate && (
          <span className={styles.otherDraft} title={texts.draft}>
            <span className="visually-hidden"> {texts.draft}</span>
          </span>
        )}
      </label>
    ))}
  </fieldset>
);
