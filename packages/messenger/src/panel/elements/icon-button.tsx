/** @jsxImportSource preact */
import type { Ref } from "preact";
import { Icon, type IconName } from "./icon.tsx";

interface IconButtonProps {
  readonly icon: IconName;
  readonly label: string;
  readonly onClick: () => void;
  readonly class?: string;
  readonly isDisabled?: boolean;
  readonly buttonRef?: Ref<HTMLButtonElement>;
}

/** A button whose label only screen readers and the browser's hint show. */
export const IconButton = ({ icon, label, onClick, class: name = "", isDisabled, buttonRef }: IconButtonProps) => (
  <button
    type="button"
    class={`iconButton ${name}`}
    aria-label={label}
    title={label}
    disabled={isDisabled}
    onClick={onClick}
    {...(buttonRef && { ref: buttonRef })}
  >
    <Icon name={icon} />
  </button>
);
