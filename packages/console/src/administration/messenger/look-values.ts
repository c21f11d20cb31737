import type { MessengerLook, MessengerLookTexts } from "@parley/contract";
import { contrastOf, readableOn, rgbOf, hexOf } from "@parley/contract/display";
import { VALUES } from "../../contract-values.ts";
import { ADMIN_VALUES } from "../contract-values.ts";
import { lookMessages as texts } from "./look-messages.ts";

export type LookTextName = keyof MessengerLookTexts;

/** The texts in one language; an empty text stands for the messenger's own. */
export type LookText = { readonly locale: string } & Readonly<Record<LookTextName, string>>;

/** Values of the form. An empty text stands for the messenger's own value. */
export interface LookValues {
  readonly color: string;
  readonly darkColor: string;
  readonly textColor: string;
  readonly picture: string;
  readonly position: NonNullable<MessengerLook["position"]>;
  readonly bottom: string;
  readonly side: string;
  readonly buttonSize: NonNullable<MessengerLook["button_size"]>;
  readonly panelSize: NonNullable<MessengerLook["panel_size"]>;
  readonly isLabelShown: boolean;
  /** The primary language comes first. */
  readonly languages: readonly LookText[];
}

const { messengerLimits: limits } = ADMIN_VALUES;
const PICTURE = new RegExp(ADMIN_VALUES.messengerPicture);

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

/** @shape primary: the primary language of the account */
export const lookValuesOf = (look: MessengerLook, primary: string): LookValues => {
  const { [primary]: ofPrimary, ...others } = look.texts ?? {};
  return {
    color: look.color ?? "",
    darkColor: look.dark_color ?? "",
    textColor: look.text_color ?? "",
    picture: look.picture_url ?? "",
    position: look.position ?? "right",
    bottom: look.bottom_px === undefined ? "" : String(look.bottom_px),
    side: look.side_px === undefined ? "" : String(look.side_px),
    buttonSize: look.button_size ?? "medium",
    panelSize: look.panel_size ?? "normal",
    isLabelShown: look.is_label_shown ?? false,
    languages: [
      lookText(primary, ofPrimary),
      ...Object.entries(others).map(([locale, given]) => lookText(locale, given)),
    ],
  };
};

/** `14532D` -> `#14532d` */
export const colorIn = (entered: string): string => {
  const text = entered.trim().toLowerCase();
  return text === "" ? "" : `#${text.replace(/^#/, "")}`;
};

const DISTANCE = /^\d{1,3}$/;
const isDistance = (text: string): boolean => DISTANCE.test(text) && Number(text) <= limits.look_distance_px;

/** Without members that have the messenger's own value. */
const given = <T extends object>(members: { readonly [K in keyof T]: T[K] | undefined | "" | false }): T =>
  Object.fromEntries(
    Object.entries(members).filter(([, value]) => value !== undefined && value !== "" && value !== false),
  ) as T;

const textsOf = (languages: readonly LookText[]): MessengerLook["texts"] => {
  const entries = languages.flatMap(({ locale, ...own }) => {
    const trimmed = Object.fromEntries(LOOK_TEXT_NAMES.map((name) => [name, own[name].trim()]));
    const members = given<MessengerLookTexts>(trimmed);
    return Object.keys(members).length === 0 ? [] : [[locale, members] as const];
  });
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
};

/** The look that the values stand for. Values that the service would refuse are left out, for the preview. */
export const lookOf = (values: LookValues): MessengerLook => {
  const color = (entered: string) => (rgbOf(colorIn(entered)) ? colorIn(entered) : "");
  const distance = (entered: string) => (isDistance(entered.trim()) ? Number(entered.trim()) : undefined);
  const picture = values.picture.trim();
  return given<MessengerLook>({
    color: color(values.color),
    dark_color: color(values.darkColor),
    text_color: color(values.textColor),
    picture_url: PICTURE.test(picture) && picture,
    position: values.position !== "right" && values.position,
    bottom_px: distance(values.bottom),
    side_px: distance(values.side),
    button_size: values.buttonSize !== "medium" && values.buttonSize,
    panel_size: values.panelSize !== "normal" && values.panelSize,
    is_label_shown: values.isLabelShown,
    texts: textsOf(values.languages),
  });
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
const distanceProblem = (entered: string): string | undefined =>
  entered.trim() === "" || isDistance(entered.trim()) ? undefined : texts.distanceInvalid(limits.look_distance_px);
const pictureProblem = (entered: string): string | undefined => {
  const address = entered.trim();
  if (address.length > VALUES.limits.url_characters) return texts.tooLong(VALUES.limits.url_characters);
  return address === "" || PICTURE.test(address) ? undefined : texts.pictureInvalid;
};

/** -> why the service would refuse the values, by field */
export const lookProblemsOf = (values: LookValues): Partial<Record<keyof LookValues, string>> => {
  const [language] = values.languages.flatMap((text) => Object.values(lookTextProblems(text)));
  const hasOnlyDark = colorIn(values.darkColor) !== "" && colorIn(values.color) === "";
  const problems = {
    color: colorProblem(values.color) ?? (hasOnlyDark ? texts.darkWithout : undefined),
    darkColor: colorProblem(values.darkColor),
    textColor: colorProblem(values.textColor),
    picture: pictureProblem(values.picture),
    bottom: distanceProblem(values.bottom),
    side: distanceProblem(values.side),
    languages: language,
  };
  return Object.fromEntries(Object.entries(problems).filter(([, problem]) => problem !== undefined));
};

const rounded = (ratio: number): number => Math.floor(ratio * 10) / 10;

/** -> that the messenger replaces the colour of the text on a background, with the contrasts; undefined if it does not */
const replacementOn = (color: string, textColor: string): string | undefined => {
  const [background, wanted] = [rgbOf(colorIn(color)), rgbOf(colorIn(textColor))];
  if (!background || !wanted) return undefined;
  const shown = readableOn(background, wanted);
  if (shown === wanted) return undefined;
  const [ratio, shownRatio] = [contrastOf(background, wanted), contrastOf(background, shown)];
  return texts.replaced(hexOf(wanted), rounded(ratio), hexOf(shown), rounded(shownRatio));
};

/** -> what the messenger does for the contrast, a sentence for each scheme */
export const contrastNotes = ({ color, darkColor, textColor }: LookValues): readonly string[] => {
  const dark = replacementOn(darkColor, textColor);
  return [replacementOn(color, textColor), dark === undefined ? undefined : `${texts.replacedInDark} ${dark}`].filter(
    (note) => note !== undefined,
  );
};
