/** Readable colours by calculation, with the contrast of WCAG 2.2 (1.4.3 and 1.4.11). */

/** Red, green and blue. @units 0 to 255 */
export type Rgb = readonly [red: number, green: number, blue: number];

/** Contrast of a text with its background, and of a part of a control with what is beside it. */
export const CONTRAST_MIN = { text: 4.5, part: 3 } as const;

const WHITE: Rgb = [255, 255, 255];
const BLACK: Rgb = [0, 0, 0];

/** `#14532d` -> its parts; undefined for other texts */
export const rgbOf = (hex: string | undefined): Rgb | undefined => {
  const [, ...parts] = /^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})$/i.exec(hex ?? "") ?? [];
  const [red, green, blue] = parts.map((part) => Number.parseInt(part, 16));
  return red === undefined || green === undefined || blue === undefined ? undefined : [red, green, blue];
};

/** -> such as `#14532d` */
export const hexOf = (color: Rgb): string => `#${color.map((part) => part.toString(16).padStart(2, "0")).join("")}`;

const luminance = (color: Rgb): number => {
  const [red = 0, green = 0, blue = 0] = color.map((value) => {
    const share = value / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
};

/** -> 1 to 21 */
export const contrastOf = (one: Rgb, other: Rgb): number => {
  const [low = 0, high = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
};

/** -> the wanted colour if texts in it are readable on the background, else black or white, whichever has more contrast */
export const readableOn = (background: Rgb, wanted: Rgb | undefined): Rgb => {
  if (wanted && contrastOf(background, wanted) >= CONTRAST_MIN.text) return wanted;
  return contrastOf(background, WHITE) >= contrastOf(background, BLACK) ? WHITE : BLACK;
};
