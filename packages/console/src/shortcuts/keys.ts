/** Whether this device writes Ctrl as ⌘. */
const isApple = /Mac|iPhone|iPad/.test(navigator.userAgent);

/**
 * Keys of a shortcut: one key (`j`, `?`, `Escape`), two keys after each other (`g i`), or keys with `Ctrl` (`Ctrl+k`), which is ⌘ on Apple's
 * devices. The console uses only keys that browsers and screen readers do not use.
 */
export type ShortcutKeys = string;

/** -> the name of a pressed key as shortcuts write it; undefined for a key that is pressed with Alt or another key that shortcuts don't use */
export const pressedKey = ({ key, ctrlKey, metaKey, altKey }: KeyboardEvent): string | undefined => {
  if (altKey) return undefined;
  const hasControl = isApple ? metaKey : ctrlKey;
  if ((isApple ? ctrlKey : metaKey) === true) return undefined;
  const name = key.length === 1 ? key.toLowerCase() : key;
  return hasControl ? `Ctrl+${name}` : name;
};

/** -> the keys as people read them */
export const keysText = (keys: ShortcutKeys): string =>
  keys
    .split(" ")
    .map((key) =>
      key
        .replace("Ctrl+", isApple ? "⌘" : "Ctrl+")
        .replace("Enter", "↵")
        .replace(/(^|\+|⌘)([a-z])$/, (_, before: string, letter: string) => before + letter.toUpperCase()),
    )
    .join(" ");

const TEXT_INPUTS = "input:not([type=checkbox]):not([type=radio]), textarea, select, [contenteditable=true]";

const isWithin = (target: EventTarget | null, selector: string): boolean =>
  target instanceof Element && target.closest(selector) !== null;

/** Whether a key is meant for a field, where letters are text. */
export const isForField = (target: EventTarget | null): boolean => isWithin(target, TEXT_INPUTS);

/** Whether a key is meant for a list to choose from, a menu or a dialog: commands would change the page behind it. */
export const isForOverlay = (target: EventTarget | null): boolean =>
  isWithin(target, "[role=menu], [role=listbox], [role=dialog], [role=alertdialog]");
