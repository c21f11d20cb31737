import { useState } from "react";
import { showError } from "../ui/toast-store.ts";

interface OpenedEntry<T> {
  /** The entry whose dialog is open; "new" for a new entry. */
  readonly opened: T | "new" | undefined;
  /** Opens the dialog with the entry as it is now. An entry that was removed is not opened: the list shows that it is gone. */
  readonly open: (entry: T | "new") => void;
  readonly close: () => void;
}

/** Which entry of a list is open in a dialog. @shape reread: reads the list again */
export const useOpenedEntry = <T extends object>(
  reread: () => Promise<readonly T[]>,
  idOf: (entry: T) => string | undefined,
): OpenedEntry<T> => {
  const [opened, setOpened] = useState<T | "new">();
  const openCurrent = async (entry: T | "new"): Promise<void> => {
    try {
      const list = await reread();
      setOpened(entry === "new" ? entry : list.find((each) => idOf(each) === idOf(entry)));
    } catch (error) {
      showError(error);
    }
  };
  return { opened, open: (entry) => void openCurrent(entry), close: () => setOpened(undefined) };
};
