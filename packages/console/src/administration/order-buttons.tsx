import { useRef } from "react";
import { useEffect } from "../state/effects.ts";
import { IconButton } from "../ui/button.tsx";
import { administrationMessages as texts } from "./messages.ts";

interface OrderButtonsProps {
  /** Name of the entry. */
  readonly name: string;
  /** Its position, from 0. */
  readonly index: number;
  readonly count: number;
  /** @shape to: the new position */
  readonly onMove: (to: number) => void;
}

/** Buttons that move an entry of a list by one place. At an end of the list the focus goes to the button that still works. */
export const OrderButtons = ({ name, index, count, onMove }: OrderButtonsProps) => {
  const buttons = useRef<HTMLSpanElement>(null);
  const isMoved = useRef(false);
  const move = (to: number): void => {
    isMoved.current = true;
    onMove(to);
  };
  useEffect(() => {
    if (!isMoved.current) return;
    isMoved.current = false;
    if (index === 0 || index === count - 1) buttons.current?.querySelector<HTMLElement>("button:enabled")?.focus();
  }, [index, count]);
  return (
    <span ref={buttons}>
      <IconButton icon="up" label={texts.moveUp(name)} isDisabled={index === 0} onPress={() => move(index - 1)} />
      <IconButton
        icon="down"
        label={texts.moveDown(name)}
        isDisabled={index === count - 1}
        onPress={() => move(index + 1)}
      />
    </span>
  );
};
