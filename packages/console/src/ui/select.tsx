import { Button, Label, ListBox, ListBoxItem, Popover, Select as AriaSelect, SelectValue } from "react-aria-components";
import styles from "./field.module.css";
import { Icon } from "./icon.tsx";
import { uiMessages } from "./messages.ts";
import popup from "./popup.module.css";

export interface Choice {
  readonly id: string;
  readonly label: string;
}

interface SelectProps {
  readonly label: string;
  /** Shows the label to screen readers only. */
  readonly isLabelHidden?: boolean;
  readonly choices: readonly Choice[];
  /** Id of the chosen option; null without a choice. */
  readonly value: string | null;
  readonly onChange: (id: string) => void;
  readonly isDisabled?: boolean;
  readonly isRequired?: boolean;
  readonly autoFocus?: boolean;
  readonly error?: string | undefined;
}

/** A choice of one from a list. */
export const Select = ({ label, isLabelHidden = false, choices, value, onChange, error, ...props }: SelectProps) => (
  <AriaSelect
    {...props}
    className={styles.field ?? ""}
    isInvalid={error !== undefined}
    placeholder={uiMessages.choose}
    value={value}
    onChange={(key) => key !== null && onChange(String(key))}
  >
    <Label className={isLabelHidden ? "visually-hidden" : (styles.label ?? "")}>{label}</Label>
    <Button className={`${styles.input} ${styles.trigger}`}>
      <SelectValue className={styles.value ?? ""} />
      <Icon name="down" />
    </Button>
    {error !== undefined && <span className={styles.error}>{error}</span>}
    <Popover className={popup.popover ?? ""}>
      <ListBox className={popup.list ?? ""} items={choices}>
        {({ id, label: text }) => (
          <ListBoxItem id={id} textValue={text} className={popup.item ?? ""}>
            {({ isSelected }) => (
              <>
                <span className={popup.label}>{text}</span>
                {isSelected && <Icon name="check" />}
              </>
            )}
          </ListBoxItem>
        )}
      </ListBox>
    </Popover>
  </AriaSelect>
);
