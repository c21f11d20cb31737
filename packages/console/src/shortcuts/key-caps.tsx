import { keysText, type ShortcutKeys } from "./keys.ts";
import { shortcutMessages as texts } from "./messages.ts";
import styles from "./palette.module.css";

/** The keys of a command, as they are printed on a keyboard. */
export const KeyCaps = ({ keys }: { readonly keys: ShortcutKeys }) => {
  const [first = "", second] = keysText(keys).split(" ");
  return (
    <span className={styles.keys}>
      <kbd>{first}</kbd>
      {second !== undefined && (
        <>
          <span className="visually-hidden"> {texts.then} </span>
          <kbd>{second}</kbd>
        </>
      )}
    </span>
  );
};
