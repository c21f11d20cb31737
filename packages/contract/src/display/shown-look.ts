import type { MessengerLook, MessengerLookTexts } from "../messenger/account-settings.ts";
import type { ShownLook } from "../messenger/configuration.ts";
import { hexOf, readableOn, rgbOf } from "./contrast.ts";
import { shownLocales } from "./locales.ts";

/** @units CSS pixels; the smallest button is larger than the 44 that a finger needs */
const BUTTON_PX: Readonly<Record<NonNullable<MessengerLook["button_size"]>, number>> = {
  small: 48,
  medium: 56,
  large: 64,
};
/** @units CSS pixels */
const PANEL_PX: Readonly<Record<NonNullable<MessengerLook["panel_size"]>, readonly [width: number, height: number]>> = {
  compact: [340, 560],
  normal: [384, 680],
  large: [448, 800],
};

const lengthOf = (pixels: number | undefined): string | undefined => (pixels === undefined ? undefined : `${pixels}px`);

/** The colours of one scheme: the text's colour is readable. */
const pairOf = (color: string | undefined, wanted: string | undefined): readonly [string?, string?] => {
  const background = rgbOf(color);
  return background ? [hexOf(background), hexOf(readableOn(background, rgbOf(wanted)))] : [];
};

/** Each text in the best locale that has it. */
const textsIn = (
  texts: MessengerLook["texts"],
  locales: readonly string[],
): Readonly<Partial<MessengerLookTexts>> | undefined => {
  if (!texts) return undefined;
  const ranked = Object.entries(texts)
    .map(([locale, each]) => [locales.lastIndexOf(locale.toLowerCase()), each] as const)
    .filter(([rank]) => rank >= 0)
    .toSorted(([one], [other]) => one - other);
  return Object.assign({}, ...ranked.map(([, each]) => each)) as MessengerLookTexts;
};

const present = <T extends object>(members: { readonly [K in keyof T]: T[K] | undefined }): T =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as T;

/**
 * The look of an account as the messenger of a page shows it.
 * @shape locales: of the page, the best first; primary: the primary language of the account
 */
export const shownLook = (look: MessengerLook, locales: readonly string[], primary: string): ShownLook => {
  const { color, dark_color, text_color, picture_url, position, button_size, panel_size, is_label_shown } = look;
  const [background, foreground] = pairOf(color, text_color);
  const [darkBackground, darkForeground] = pairOf(color && dark_color, text_color);
  const [width, height] = panel_size === undefined ? [] : PANEL_PX[panel_size];
  return present<ShownLook>({
    ...{ color: background, text_color: foreground, dark_color: darkBackground, dark_text_color: darkForeground },
    ...{ picture_url, position, is_label_shown },
    bottom: lengthOf(look.bottom_px),
    side: lengthOf(look.side_px),
    button: lengthOf(button_size && BUTTON_PX[button_size]),
    panel_width: lengthOf(width),
    panel_height: lengthOf(height),
    texts: textsIn(look.texts, shownLocales(locales, primary)),
  });
};
