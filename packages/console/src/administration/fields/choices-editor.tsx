import { useId, useRef } from "react";
import { Button, IconButton } from "../../ui/button.tsx";
import { FieldGroup } from "../../ui/field-group.tsx";
import field from "../../ui/field.module.css";
import { OrderButtons } from "../order-buttons.tsx";
import { movedTo } from "../order.ts";
import { choiceProblem, newChoice, type ChoiceRow as Choice } from "./choices.ts";
import styles from "./fields.module.css";
import { fieldMessages as texts } from "./messages.ts";

interface ChoiceRowProps {
  readonly choice: Choice;
  readonly index: number;
  readonly count: number;
  readonly problem: string | undefined;
  readonly isNew: boolean;
  readonly onChange: (value: string) => void;
  readonly onMove: (to: number) => void;
  readonly onRemove: () => void;
}

const ChoiceRow = ({ choice, index, count, problem, isNew, onChange, onMove, onRemove }: ChoiceRowProps) => {
  const id = useId();
  const name = choice.value.trim() || texts.choice(index + 1);
  return (
    <li>
      <div className={styles.choice}>
        <input
          className={field.input}
          aria-label={texts.choice(index + 1)}
          aria-invalid={problem !== undefined}
          aria-describedby={id}
          value={choice.value}
          autoFocus={isNew}
          onChange={({ currentTarget }) => onChange(currentTarget.value)}
        />
        <OrderButtons name={name} index={index} count={count} onMove={onMove} />
        <IconButton icon="trash" label={texts.removeChoice(name)} onPress={onRemove} />
      </div>
      <span id={id} className={field.error}>
        {problem}
      </span>
    </li>
  );
};

interface ChoicesEditorProps {
  readonly choices: readonly Choice[];
  readonly onChange: (choices: readonly Choice[]) => void;
  /** Why the choices are refused. The rows then show theirs. */
  readonly error: string | undefined;
}

/** The choices of a property: add, rename, order and remove. */
export const ChoicesEditor = ({ choices, onChange, error }: ChoicesEditorProps) => {
  /** Key of the row that was added last, which gets the focus. */
  const added = useRef<number>(undefined);
  const problems = choices.map((choice) => (error === undefined ? undefined : choiceProblem(choices, choice)));
  const add = (): void => {
    added.current = Math.max(-1, ...choices.map(({ key }) => key)) + 1;
    onChange([...choices, newChoice(added.current)]);
  };
  return (
    <FieldGroup label={texts.choices} help={texts.choicesHelp}>
      <ul className={styles.choices}>
        {choices.map((choice, index) => (
          <ChoiceRow
            key={choice.key}
            choice={choice}
            index={index}
            count={choices.length}
            problem={problems[index]}
            isNew={choice.key === added.current}
            onChange={(value) => onChange(choices.map((each) => (each === choice ? { ...each, value } : each)))}
            onMove={(to) => onChange(movedTo(choices, index, to))}
            onRemove={() => onChange(choices.filter((each) => each !== choice))}
          />
        ))}
      </ul>
      {error !== undefined && problems.every((problem) => problem === undefined) && (
        <p role="alert" className={field.error}>
          {error}
        </p>
      )}
      <div>
        <Button isSmall icon="plus" onPress={add}>
          {texts.addChoice}
        </Button>
      </div>
    </FieldGroup>
  );
};
