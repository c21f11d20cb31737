import { useId, useState, type ReactNode } from "react";
import { Button } from "react-aria-components";
import type { ListedChoice } from "../ui/choice-list.tsx";
import { ChoicePopover } from "../ui/choice-popover.tsx";
import field from "../ui/field.module.css";
import { Icon } from "../ui/icon.tsx";
import { uiMessages } from "../ui/messages.ts";

interface SearchSelectProps {
  readonly label: string;
  readonly help?: string;
  readonly choices: readonly ListedChoice[];
  /** Id of the chosen entry; undefined without a choice. */
  readonly value: string | undefined;
  readonly onChange: (id: string) => void;
  /** Why the value is refused. */
  readonly error?: string | undefined;
  /** Shown below the list. @shape choose: chooses a value that the list does not have */
  readonly footer?: (choose: (id: string) => void) => ReactNode;
}

/** A choice of one from a long list, with a field to find it. */
export const SearchSelect = ({ label, help, choices, value, onChange, error, footer }: SearchSelectProps) => {
  const id = useId();
  const [isOpen, setOpen] = useState(false);
  const chosen = choices.find((choice) => choice.id === value)?.label ?? value ?? uiMessages.choose;
  return (
    <div className={field.field}>
      <span className={field.label} id={id}>
        {label}
      </span>
      <ChoicePopover
        label={label}
        choices={choices}
        chosen={value}
        onChoose={onChange}
        isOpen={isOpen}
        onOpenChange={setOpen}
        footer={footer?.((chosen) => {
          setOpen(false);
          onChange(chosen);
        })}
      >
        <Button
          className={`${field.input} ${field.trigger}`}
          aria-labelledby={`${id} ${id}-value`}
          aria-describedby={`${id}-help ${id}-error`}
        >
          <span className={field.value} id={`${id}-value`}>
            {chosen}
          </span>
          <Icon name="down" />
        </Button>
      </ChoicePopover>
      <span className={field.help} id={`${id}-help`}>
        {help}
      </span>
      <span className={field.error} id={`${id}-error`} role={error === undefined ? undefined : "alert"}>
        {error}
      </span>
    </div>
  );
};
