import type { ReactNode } from "react";
import { Button } from "../../ui/button.tsx";
import { uiMessages } from "../../ui/messages.ts";
import { RestoredNote } from "../../ui/restored-note.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { Section } from "../section.tsx";
import { useEntryForm } from "../use-entry-form.ts";
import { entriesOf, textOf } from "./messenger-values.ts";
import styles from "./messenger.module.css";

/** The list of a form with an entry in each line. */
interface Lines {
  readonly text: string;
}

interface LinesSectionProps {
  readonly title: string;
  readonly help: string;
  readonly label: string;
  /** The form of an entry, below the field. */
  readonly form: string;
  readonly entries: readonly string[];
  /** -> the entries as they are now */
  readonly reread: () => Promise<readonly string[]>;
  /** -> why the service would refuse the text */
  readonly problemOf: (text: string) => string | undefined;
  /** Its rejection is shown at the field. */
  readonly save: (entries: readonly string[]) => Promise<void>;
  /** Where the browser keeps the entered text: see `useForm`. */
  readonly keptAt: string;
  readonly children?: ReactNode;
}

/** A list of the account that is edited as a text, with an entry in each line. */
export const LinesSection = ({
  title,
  help,
  label,
  form: entryForm,
  entries,
  reread,
  problemOf,
  save,
  keptAt,
  children,
}: LinesSectionProps) => {
  const form = useEntryForm<Lines>({
    keptAt,
    initial: { text: textOf(entries) },
    isNew: false,
    present: { text: textOf(entries) },
    reread: async () => ({ text: textOf(await reread()) }),
    labelOf: () => label,
    check: ({ text }) => {
      const problem = problemOf(text);
      return problem === undefined ? {} : { text: problem };
    },
    members: {
      of: ({ text }) => ({ entries: entriesOf(text) }),
      valuesOf: (members) => ({ text: textOf(members["entries"] as string[] | undefined) }),
    },
    save: ({ text }) => save(entriesOf(text)),
  });
  const { text } = form.values;
  return (
    <Section isCard title={title} intro={help}>
      <form
        className={styles.form}
        onSubmit={(event) => {
          event.preventDefault();
          void form.submit();
        }}
      >
        {form.isRestored && <RestoredNote onReset={() => form.reset()} />}
        <TextField
          label={label}
          help={entryForm}
          lines={Math.min(10, Math.max(3, text.split("\n").length))}
          value={text}
          onChange={(next) => form.change({ text: next })}
          spellCheck="false"
          autoComplete="off"
          error={form.problems.text ?? form.refusal}
        />
        <div>
          <Button
            type="submit"
            variant="primary"
            isDisabled={form.isSaving || textOf(entriesOf(text)) === textOf(entries)}
          >
            {uiMessages.save}
          </Button>
        </div>
      </form>
      {children}
    </Section>
  );
};
