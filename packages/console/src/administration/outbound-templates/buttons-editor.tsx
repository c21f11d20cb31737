import { Button, IconButton } from "../../ui/button.tsx";
import { FieldGroup } from "../../ui/field-group.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { Problem } from "../../ui/problem.tsx";
import { ADMIN_VALUES } from "../contract-values.ts";
import { outboundTemplateMessages as texts } from "./messages.ts";
import styles from "./outbound-templates.module.css";
import { buttonProblem, type ButtonValue } from "./outbound-form.ts";

interface ButtonsEditorProps {
  readonly buttons: readonly ButtonValue[];
  readonly onChange: (buttons: readonly ButtonValue[]) => void;
  /** Whether the buttons show their problems. */
  readonly isChecked: boolean;
}

/** The buttons of a template, which open addresses. */
export const ButtonsEditor = ({ buttons, onChange, isChecked }: ButtonsEditorProps) => {
  const change = (key: number, next: Partial<ButtonValue>): void =>
    onChange(buttons.map((button) => (button.key === key ? { ...button, ...next } : button)));
  const add = (): void =>
    onChange([...buttons, { key: Math.max(-1, ...buttons.map(({ key }) => key)) + 1, label: "", url: "" }]);
  return (
    <FieldGroup label={texts.buttons} help={texts.buttonsHelp}>
      {buttons.map((button, index) => {
        const { key, label, url } = button;
        const problem = isChecked ? buttonProblem(button) : undefined;
        return (
          <div key={key}>
            <div className={styles.button}>
              <TextField
                label={texts.buttonLabel(index + 1)}
                value={label}
                onChange={(next) => change(key, { label: next })}
              />
              <TextField
                label={texts.buttonUrl(index + 1)}
                value={url}
                onChange={(next) => change(key, { url: next })}
                inputMode="url"
              />
              <IconButton
                icon="trash"
                label={texts.removeButton(index + 1)}
                onPress={() => onChange(buttons.filter((each) => each.key !== key))}
              />
            </div>
            <Problem text={problem} />
          </div>
        );
      })}
      <div>
        <Button
          isSmall
          icon="plus"
          isDisabled={buttons.length >= ADMIN_VALUES.accountLimits.template_buttons}
          onPress={add}
        >
          {texts.addButton}
        </Button>
      </div>
    </FieldGroup>
  );
};
