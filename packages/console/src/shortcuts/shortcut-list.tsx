import { useStore } from "../state/store.ts";
import { Dialog } from "../ui/dialog.tsx";
import { Switch } from "../ui/checkbox.tsx";
import { commandsWithKeys } from "./command-keys.ts";
import { KeyCaps } from "./key-caps.tsx";
import { letterSetting } from "./letter-setting.ts";
import { GROUP_NAMES, shortcutMessages as texts } from "./messages.ts";
import { commands, SHORTCUT_GROUPS, type Command } from "./shortcuts.ts";
import styles from "./palette.module.css";

type CommandWithKeys = Command & { readonly keys: string };
const hasKeys = (command: Command): command is CommandWithKeys => command.keys !== undefined;

/** The list of all shortcuts. */
const ShortcutList = ({ onClose }: { readonly onClose: () => void }) => {
  const all = commandsWithKeys(useStore(commands).values()).filter(hasKeys);
  const areLetters = useStore(letterSetting);
  const groups = SHORTCUT_GROUPS.map((group) => ({ group, list: all.filter((each) => each.group === group) }));
  return (
    <Dialog title={texts.list} isOpen isWide onClose={onClose}>
      <p className={styles.help}>{texts.listHelp}</p>
      <div className={styles.groups}>
        {groups
          .filter(({ list }) => list.length > 0)
          .map(({ group, list }) => (
            <section key={group} className={styles.group}>
              <h3>{GROUP_NAMES[group]}</h3>
              <ul>
                {list.map(({ id, label, keys }) => (
                  <li key={id} className={styles.shortcut}>
                    <span>{label}</span>
                    <KeyCaps keys={keys} />
                  </li>
                ))}
              </ul>
            </section>
          ))}
      </div>
      <div className={styles.switch}>
        <Switch isSelected={areLetters} onChange={letterSetting.change}>
          {texts.letters}
        </Switch>
        <p className={styles.help}>{texts.lettersHelp}</p>
      </div>
    </Dialog>
  );
};
export default ShortcutList;
