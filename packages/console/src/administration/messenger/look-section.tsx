import type { AccountDocument } from "@parley/contract";
import { BRAND_COLOR, ON_BRAND_COLOR } from "@parley/contract/display";
import { SchemaFields, type FieldProps, type Widgets } from "../../forms/schema-fields.tsx";
import { formProblemsOf, formValuesOf, recordOf } from "../../forms/schema-form.ts";
import { Button } from "../../ui/button.tsx";
import { uiMessages } from "../../ui/messages.ts";
import { RestoredNote } from "../../ui/restored-note.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { showToast } from "../../ui/toast-store.ts";
import type { AccountConfigurationState } from "../account-document.ts";
import shared from "../administration.module.css";
import { PictureField } from "../picture-field.tsx";
import { Section } from "../section.tsx";
import { useEntryForm } from "../use-entry-form.ts";
import styles from "./look.module.css";
import { lookMessages as texts } from "./look-messages.ts";
import { LookPreview } from "./look-preview.tsx";
import { LookTexts } from "./look-texts.tsx";
import { colorIn, contrastNotes, lookForm, type LookValues } from "./look-form.ts";
import sections from "./messenger.module.css";

interface ColorFieldProps {
  readonly label: string;
  readonly value: string;
  /** What the messenger has while the field is empty. */
  readonly fallback: string;
  readonly error: string | undefined;
  readonly onChange: (color: string) => void;
}

/** -> the colour that is entered, if it is complete */
const completeColor = (text: string): string | undefined =>
  /^#[0-9a-f]{6}$/.test(colorIn(text)) ? colorIn(text) : undefined;

const COLORS = ["color", "dark_color", "text_color"] as const;

/** -> what an empty field stands for */
const fallbackOf = (name: (typeof COLORS)[number], { color }: LookValues): string =>
  name === "text_color" ? ON_BRAND_COLOR : (name === "dark_color" && completeColor(color)) || BRAND_COLOR;

/** A colour as text, and the browser's own choice of a colour. */
const ColorField = ({ label, value, fallback, error, onChange }: ColorFieldProps) => (
  <div className={styles.colorField}>
    <TextField
      label={label}
      help={texts.colorHelp}
      value={value}
      onChange={onChange}
      spellCheck="false"
      autoComplete="off"
      error={error}
    />
    <input
      type="color"
      aria-label={texts.choose(label)}
      value={completeColor(value) ?? fallback}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
    />
  </div>
);

interface LookSectionProps extends Pick<AccountConfigurationState, "change" | "reread"> {
  readonly document: AccountDocument;
}

/** How the messenger looks, with a preview. */
export const LookSection = ({ document, change, reread }: LookSectionProps) => {
  const { primary_locale: primary = "en" } = document;
  const definition = lookForm(primary);
  const valuesIn = ({ messenger }: AccountDocument) => formValuesOf(definition, messenger?.look ?? {});
  const form = useEntryForm<LookValues>({
    keptAt: "messenger look",
    initial: valuesIn(document),
    isNew: false,
    present: valuesIn(document),
    reread: async () => valuesIn(await reread()),
    check: (values) => formProblemsOf(definition, values),
    labelOf: (member) => definition.members[member as keyof LookValues].label,
    async save(values) {
      await change({ messenger: { look: recordOf(definition, values) } });
      showToast(texts.saved);
    },
  });
  const { values } = form;
  const colorField =
    (name: (typeof COLORS)[number]) =>
    ({ value, problem, onChange }: FieldProps<LookValues, string>) => (
      <ColorField
        label={definition.members[name].label}
        value={value}
        fallback={fallbackOf(name, values)}
        error={problem}
        onChange={onChange}
      />
    );
  const widgets: Widgets<LookValues> = {
    color: colorField("color"),
    dark_color: colorField("dark_color"),
    text_color: colorField("text_color"),
    picture_url: ({ value, problem, onChange }) => (
      <PictureField label={texts.picture} help={texts.pictureHelp} value={value} error={problem} onChange={onChange} />
    ),
    languages: ({ value, problem, onChange }) => (
      <LookTexts languages={value} hasProblem={problem !== undefined} onChange={onChange} />
    ),
  };
  const look = recordOf(definition, values);
  const isSaved = JSON.stringify(values) === JSON.stringify(valuesIn(document));
  return (
    <Section isCard title={texts.title} intro={texts.help}>
      <div className={styles.columns}>
        <form
          className={sections.form}
          onSubmit={(event) => {
            event.preventDefault();
            void form.submit();
          }}
        >
          {form.isRestored && <RestoredNote onReset={() => form.reset()} />}
          <h3>{texts.colors}</h3>
          <SchemaFields form={definition} state={form} names={COLORS} widgets={widgets} />
          <div role="status">
            {contrastNotes(values).map((note) => (
              <p key={note}>{note}</p>
            ))}
          </div>
          <SchemaFields form={definition} state={form} names={["picture_url"]} widgets={widgets} />
          <h3>{texts.place}</h3>
          <div className={styles.row}>
            <SchemaFields form={definition} state={form} names={["position", "button_size", "panel_size"]} />
          </div>
          <div className={styles.row}>
            <SchemaFields form={definition} state={form} names={["bottom_px", "side_px"]} />
          </div>
          <SchemaFields form={definition} state={form} names={["is_label_shown"]} />
          <h3>{texts.texts}</h3>
          <p className={shared.muted}>{texts.textsHelp}</p>
          <SchemaFields form={definition} state={form} names={["languages"]} widgets={widgets} />
          {form.refusal !== undefined && <p role="alert">{form.refusal}</p>}
          <div>
            <Button type="submit" variant="primary" isDisabled={form.isSaving || isSaved}>
              {uiMessages.save}
            </Button>
          </div>
        </form>
        <LookPreview account={document.name} look={look} locales={values.languages.map(({ locale }) => locale)} />
      </div>
    </Section>
  );
};
