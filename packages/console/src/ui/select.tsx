import {
  Button,
  Label,
  ListBox,
  ListBoxItem,
  Popover,
  Select as AriaSelect,
  SelectValue,
  Text,
} from "react-aria-components";
import styles from "./field.module.css";
import { Icon } from "./icon.tsx";
import { uiMessages } from "./messages.ts";
import popup from "./popup.module.css";

/** @shape id: any value, such as undefined for the choice that does not filter */
export interface Choice<T = string> {
  readonly id: T;
  readonly label: string;
}

interface SelectProps<T> {
  readonly label: string;
  /** Shows the label to screen readers only. */
  readonly isLabelHidden?: boolean;
  readonly help?: string;
  readonly choices: readonly Choice<T>[];
  /** Id of the chosen option; null without a choice. */
  readonly value: NoInfer<T> | null;
  readonly onChange: (id: T) => void;
  readonly isDisabled?: boolean;
  readonly isRequired?: boolean;
  readonly autoFocus?: boolean;
  readonly error?: string | undefined;
}

/** A choice of one from a list. */
export const Select = <T,>({
  label,
  isLabelHidden = false,
  help,
  choices,
  value,
  onChange,
  error,
  ...props
}: SelectProps<T>) => {
  const chosen = choices.findIndex(({ id }) => id === value);
  return (
    <AriaSelect
      {...props}
      className={styles.field ?? ""}
      isInvalid={error !== undefined}
      placeholder={uiMessages.choose}
      value={chosen < 0 ? null : chosen}
      // Keys of the list are indexes, so that ids can be of any type.
      onChange={(index) => choices.filter((_, each) => each === index).forEach(({ id }) => onChange(id))}
    >
      <Label className={isLabelHidden ? "visually-hidden" : (styles.label ?? "")}>{label}</Label>
      <Button className={`${styles.input} ${styles.trigger}`}>
        <SelectValue className={styles.value ?? ""} />
        <Icon name="down" />
      </Button>
      {error !== undefined && <span className={styles.error}>{error}</span>}
      {help !== undefined && (
        <Text slot="description" className={styles.help ?? ""}>
          {help}
        </Text>
      )}
      <Popover className={popup.popover ?? ""}>
        <ListBox className={popup.list ?? ""} items={choices.map(({ label: text }, id) => ({ id, text }))}>
          {({ id, text }) => (
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
};
