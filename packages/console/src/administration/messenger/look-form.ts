import type { MessengerLook, MessengerLookTexts } from "@parley/contract";
import { contrastOf, readableOn, rgbOf, hexOf } from "@parley/contract/display";
import { valueProblem, type SchemaForm } from "../../forms/schema-form.ts";
import { ADMIN_VALUES } from "../contract-values.ts";
import { LOOK_SCHEMA } from "./contract-values.ts";
import { lookMessages as texts } from "./look-messages.ts";

export type LookTextName = keyof MessengerLookTexts;

/** The texts in one language; an empty text stands for the messenger's own. */
export type LookText = { readonly locale: string } & Readonly<Record<LookTextName, string>>;

/** Values of the form. An empty text stands for the messenger's own value. */
export interface LookValues {
  readonly color: string;
  readonly dark_color: string;
  readonly text_color: string;
  readonly picture_url: string;
  readonly position: NonNullable<MessengerLook["position"]>;
  readonly button_size: NonNullable<MessengerLook["button_size"]>;
  readonly panel_size: NonNullable<MessengerLook["panel_size"]>;
  readonly bottom_px: string;
  readonly side_px: string;
  readonly is_label_shown: boolean;
  /** The primary language comes first. */
  readonly languages: readonly LookText[];
}

const { messengerLimits: limits } = ADMIN_VALUES;

/** Largest length of each text. @units characters */
const LOOK_TEXTS_MAX: Readonly<Record<LookTextName, number>> = {
  title: limits.look_title_characters,
  help: limits.look_text_characters,
  message_field: limits.look_title_characters,
  away: limits.look_text_characters,
  button_label: limits.look_label_characters,
};
export const LOOK_TEXT_NAMES = Object.keys(LOOK_TEXTS_MAX) as readonly LookTextName[];

export const lookText = (locale: string, given: MessengerLookTexts = {}): LookText => {
  const { title = "", help = "", message_field = "", away = "", button_label = "" } = given;
  return { locale, title, help, message_field, away, button_label };
};

/** `14532D` -> `#14532d` */
export const colorIn = (entered: string): string => {
  const text = entered.trim().toLowerCase();
  return text === "" ? "" : `#${text.replace(/^#/, "")}`;
};

const DISTANCE = /^\d{1,3}$/;
const isDistance = (text: string): boolean => DISTANCE.test(text) && Number(text) <= limits.look_distance_px;

const textsOf = (languages: readonly LookText[]): MessengerLook => {
  const entries = languages.flatMap(({ locale, ...own }) => {
    const members = LOOK_TEXT_NAMES.flatMap((name) => (own[name].trim() === "" ? [] : [[name, own[name].trim()]]));
    return members.length === 0 ? [] : [[locale, Object.fromEntries(members) as MessengerLookTexts] as const];
  });
  return entries.length === 0 ? {} : { texts: Object.fromEntries(entries) };
};

/** -> why the service would refuse the texts of one language, by name */
export const lookTextProblems = (text: LookText): Partial<Record<LookTextName, string>> =>
  Object.fromEntries(
    LOOK_TEXT_NAMES.filter((name) => text[name].trim().length > LOOK_TEXTS_MAX[name]).map((name) => [
      name,
      texts.tooLong(LOOK_TEXTS_MAX[name]),
    ]),
  );

const colorProblem = (entered: string): string | undefined =>
  colorIn(entered) === "" || rgbOf(colorIn(entered)) ? undefined : texts.colorInvalid;

/** A colour. One that the service would refuse is left out of the look, for the preview. */
const color = (name: "color" | "dark_color" | "text_color", label: string) => ({
  label,
  to: (entered: string): MessengerLook => (rgbOf(colorIn(entered)) ? { [name]: colorIn(entered) } : {}),
  check: colorProblem,
});

const distance = (name: "bottom_px" | "side_px", label: string) =>
  ({
    label,
    inputMode: "numeric",
    placeholder: "20",
    from: ({ [name]: px }: MessengerLook) => (px === undefined ? "" : String(px)),
    to: (entered: string): MessengerLook => (isDistance(entered) ? { [name]: Number(entered) } : {}),
    check: (entered: string) =>
      entered === "" || isDistance(entered) ? undefined : texts.distanceInvalid(limits.look_distance_px),
  }) as const;

/** A choice, of which the first is the messenger's own value. */
const choice = <T extends string>(name: keyof MessengerLook, label: string, initial: T) => ({
  label,
  initial,
  choices: texts as Readonly<Record<T, string>>,
  to: (chosen: T): MessengerLook => (chosen === initial ? {} : { [name]: chosen }),
});

/** The form of the look. @shape primary: the primary language of the account */
export const lookForm = (primary: string): SchemaForm<MessengerLook, LookValues> => ({
  schema: LOOK_SCHEMA,
  members: {
    color: {
      ...color("color", texts.color),
      check: (entered, { dark_color }) =>
        colorProblem(entered) ??
        (colorIn(dark_color) !== "" && colorIn(entered) === "" ? texts.darkWithout : undefined),
    },
    dark_color: color("dark_color", texts.darkColor),
    text_color: color("text_color", texts.textColor),
    picture_url: {
      label: texts.picture,
      help: texts.pictureHelp,
      invalid: texts.pictureInvalid,
      to: (address) =>
        address === "" || valueProblem(LOOK_SCHEMA.picture_url, address, {}) ? {} : { picture_url: address },
    },
    position: choice<LookValues["position"]>("position", texts.position, "right"),
    button_size: choice<LookValues["button_size"]>("button_size", texts.buttonSize, "medium"),
    panel_size: choice<LookValues["panel_size"]>("panel_size", texts.panelSize, "normal"),
    bottom_px: distance("bottom_px", texts.bottom),
    side_px: distance("side_px", texts.side),
    is_label_shown: { label: texts.labelShown, to: (isShown) => (isShown ? { is_label_shown: true } : {}) },
    languages: {
      label: texts.texts,
      initial: [lookText(primary)],
      from: ({ texts: { [primary]: ofPrimary, ...others } = {} }) => [
        lookText(primary, ofPrimary),
        ...Object.entries(others).map(([locale, given]) => lookText(locale, given)),
      ],
      to: textsOf,
      check: (languages) => languages.flatMap((text) => Object.values(lookTextProblems(text)))[0],
    },
  },
});

const rounded = (ratio: number): number => Math.floor(ratio * 10) / 10;

/** -> that the messenger replaces the colour of the text on a background, with the contrasts; undefined if it does not */
const replacementOn = (behind: string, textColor: string): string | undefined => {
  const [background, wanted] = [rgbOf(colorIn(behind)), rgbOf(colorIn(textColor))];
  if (!background || !wanted) return undefined;
  const shown = readableOn(background, wanted);
  if (shown === wanted) return undefined;
  const [ratio, shownRatio] = [contrastOf(background, wanted), contrastOf(background, shown)];
  return texts.replaced(hexOf(wanted), rounded(ratio), hexOf(shown), rounded(shownRatio));
};

/** -> what the messenger does for the contrast, a sentence for each scheme */
export const contrastNotes = ({ color: light, dark_color, text_color }: LookValues): readonly string[] => {
  const dark = replacementOn(dark_color, text_color);
  return [replacementOn(light, text_color), dark === undefined ? undefined : `${texts.replacedInDark} ${dark}`].filter(
    (note) => note !== undefined,
  );
};
