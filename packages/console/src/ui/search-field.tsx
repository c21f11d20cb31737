import type { KeyboardEvent, Ref } from "react";
import { Button, Input, Label, SearchField as AriaSearchField } from "react-aria-components";
import { Icon } from "./icon.tsx";
import { uiMessages } from "./messages.ts";
import styles from "./search-field.module.css";

interface SearchFieldProps {
  /** Name for screen readers. */
  readonly label: string;
  readonly placeholder?: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  /** Enter was pressed. */
  readonly onSubmit?: (value: string) => void;
  readonly onKeyDown?: (event: KeyboardEvent<HTMLInputElement>) => void;
  readonly inputRef?: Ref<HTMLInputElement>;
  readonly autoFocus?: boolean;
}

/** A field for a searched text. Escape and a button clear it. */
export const SearchField = ({ label, placeholder, inputRef, onKeyDown, ...props }: SearchFieldProps) => (
  <AriaSearchField {...props} className={styles.field ?? ""}>
    <Label className="visually-hidden">{label}</Label>
    <Icon name="search" />
    <Input
      ref={inputRef}
      className={styles.input ?? ""}
      placeholder={placeholder}
      autoComplete="off"
      spellCheck={false}
      onKeyDown={onKeyDown}
    />
    <Button className={styles.clear ?? ""} aria-label={uiMessages.clear}>
      <Icon name="close" />
    </Button>
  </AriaSearchField>
);
