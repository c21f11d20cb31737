import type { AccountDocument } from "@parley/contract";
import { BRAND_COLOR, ON_BRAND_COLOR } from "@parley/contract/display";
import { Button } from "../../ui/button.tsx";
import { Checkbox } from "../../ui/checkbox.tsx";
import { uiMessages } from "../../ui/messages.ts";
import { RestoredNote } from "../../ui/restored-note.tsx";
import { Select } from "../../ui/select.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { showToast } from "../../ui/toast-store.ts";
import type { AccountConfigurationState } from "../account-document.ts";
import shared from "../administration.module.css";
import { PictureField } from "../picture-field.tsx";
import { useEntryForm } from "../use-entry-form.ts";
import styles from "./look.module.css";
import { lookMessages as texts } from "./look-messages.ts";
import { LookPreview } from "./look-preview.tsx";
import { LookTexts } from "./look-texts.tsx";
import { colorIn, contrastNotes, lookOf, lookProblemsOf, lookValuesOf, type LookValues } from "./look-values.ts";
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

/** -> what an empty field stands for */
const fallbackOf = (name: "color" | "darkColor" | "textColor", { color }: LookValues): string =>
  name === "textColor" ? ON_BRAND_COLOR : (name === "darkColor" && completeColor(color)) || BRAND_COLOR;

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
      validationBehavior="aria"
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

const LABELS: Readonly<Record<keyof LookValues, string>> = {
  color: texts.color,
  darkColor: texts.darkColor,
  textColor: texts.textColor,
  picture: texts.picture,
  position: texts.position,
  bottom: texts.bottom,
  side: texts.side,
  buttonSize: texts.buttonSize,
  panelSize: texts.panelSize,
  isLabelShown: texts.labelShown,
  languages: texts.texts,
};
const POSITIONS = (["right", "left"] as const).map((id) => ({ id, label: texts[id] }));
const BUTTON_SIZES = (["small", "medium", "large"] as const).map((id) => ({ id, label: texts[id] }));
const PANEL_SIZES = (["compact", "normal", "large"] as const).map((id) => ({ id, label: texts[id] }));

interface LookSectionProps extends Pick<AccountConfigurationState, "change" | "reread"> {
  readonly document: AccountDocument;
}

/** How the messenger looks, with a preview. */
export const LookSection = ({ document, change, reread }: LookSectionProps) => {
  const { primary_locale: primary = "en" } = document;
  const valuesIn = ({ messenger }: AccountDocument) => lookValuesOf(messenger?.look ?? {}, primary);
  const form = useEntryForm<LookValues>({
    keptAt: "messenger look",
    initial: valuesIn(document),
    isNew: false,
    present: valuesIn(document),
    reread: async () => valuesIn(await reread()),
    check: lookProblemsOf,
    labelOf: (member) => LABELS[member as keyof LookValues],
    async save(values) {
      await change({ messenger: { look: lookOf(values) } });
      showToast(texts.saved);
    },
  });
  const { values, problems } = form;
  const look = lookOf(values);
  const isSaved = JSON.stringify(values) === JSON.stringify(valuesIn(document));
  return (
    <section className={sections.section} aria-labelledby="look">
      <h2 id="look" className={shared.heading}>
        {texts.title}
      </h2>
      <p className={shared.muted}>{texts.help}</p>
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
          {(["color", "darkColor", "textColor"] as const).map((name) => (
            <ColorField
              key={name}
              label={LABELS[name]}
              value={values[name]}
              fallback={fallbackOf(name, values)}
              error={problems[name]}
              onChange={(color) => form.change({ [name]: color })}
            />
          ))}
          <div role="status">
            {contrastNotes(values).map((note) => (
              <p key={note}>{note}</p>
            ))}
          </div>
          <PictureField
            label={texts.picture}
            help={texts.pictureHelp}
            value={values.picture}
            error={problems.picture}
            onChange={(picture) => form.change({ picture })}
          />
          <h3>{texts.place}</h3>
          <div className={styles.row}>
            <Select
              label={texts.position}
              choices={POSITIONS}
              value={values.position}
              onChange={(id) => form.change({ position: id as LookValues["position"] })}
            />
            <Select
              label={texts.buttonSize}
              choices={BUTTON_SIZES}
              value={values.buttonSize}
              onChange={(id) => form.change({ buttonSize: id as LookValues["buttonSize"] })}
            />
            <Select
              label={texts.panelSize}
              choices={PANEL_SIZES}
              value={values.panelSize}
              onChange={(id) => form.change({ panelSize: id as LookValues["panelSize"] })}
            />
          </div>
          <div className={styles.row}>
            {(["bottom", "side"] as const).map((name) => (
              <TextField
                key={name}
                label={LABELS[name]}
                value={values[name]}
                onChange={(text) => form.change({ [name]: text })}
                inputMode="numeric"
                placeholder="20"
                validationBehavior="aria"
                error={problems[name]}
              />
            ))}
          </div>
          <Checkbox isSelected={values.isLabelShown} onChange={(isLabelShown) => form.change({ isLabelShown })}>
            {texts.labelShown}
          </Checkbox>
          <h3>{texts.texts}</h3>
          <p className={shared.muted}>{texts.textsHelp}</p>
          <LookTexts
            languages={values.languages}
            hasProblem={problems.languages !== undefined}
            onChange={(languages) => form.change({ languages })}
          />
          {form.refusal !== undefined && <p role="alert">{form.refusal}</p>}
          <div>
            <Button type="submit" variant="primary" isDisabled={form.isSaving || isSaved}>
              {uiMessages.save}
            </Button>
          </div>
        </form>
        <LookPreview account={document.name} look={look} locales={values.languages.map(({ locale }) => locale)} />
      </div>
    </section>
  );
};
