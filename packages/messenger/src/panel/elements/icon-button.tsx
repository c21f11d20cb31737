/** @jsxImportSource preact */
import type { Ref } from "preact";
import { Icon, type IconName } from "./icon.tsx";

interface IconButtonProps {
  readonly icon: IconName;
  readonly label: string;
  readonly onClick: () => void;
  readonly class?: string;
  readonly isDisabled?: boolean;
  /** Whether what the button opens is open. */
  readonly isExpanded?: boolean;
  readonly buttonRef?: Ref<HTMLButtonElement>;
}

/** A button whose label only screen readers and the browser's hint show. */
export const IconButton = ({
  icon,
  label,
  onClick,
  class: name = "",
  isDisabled,
  isExpanded,
  buttonRef,
}: IconButtonProps) => (
  <button
    type="button"
    class={`iconButton ${name}`}
    aria-label={label}
    title={label}
    disabled={isDisabled}
    aria-expanded={isExpanded}
    onClick={onClick}
    {...(buttonRef && { ref: buttonRef })}
  >
    <Icon name={icon} />
  </button>
);
