import { useRef } from "react";
import { showError } from "../ui/toast-store.ts";
import { movedTo } from "./order.ts";

interface MoveOptions<T> {
  /** Reads the list as it is now. */
  readonly reread: () => Promise<readonly T[]>;
  readonly idOf: (entry: T) => string | undefined;
  /** Saves the list in its new order. */
  readonly save: (ordered: readonly T[]) => Promise<void>;
  readonly onMoved: (entry: T) => void;
}

/**
 * Moves entries of a list. Moves run one after the other, each on the list as it is then: a press that comes before the page shows the
 * previous move takes effect, too. -> moves an entry. @shape step: -1 is up by one place
 */
export const useMoves = <T>({ reread, idOf, save, onMoved }: MoveOptions<T>): ((entry: T, step: number) => void) => {
  const last = useRef(Promise.resolve());
  const move = async (entry: T, step: number): Promise<void> => {
    try {
      const present = await reread();
      const from = present.findIndex((each) => idOf(each) === idOf(entry));
      const to = from + step;
      if (from === -1 || to < 0 || to >= present.length) return;
      await save(movedTo(present, from, to));
      onMoved(entry);
    } catch (error) {
      showError(error);
    }
  };
  return (entry, step) => {
    last.current = last.current.then(() => move(entry, step));
  };
};
