import { safeMedia } from "@parley/contract/display";
import type { SiteConfig } from "../config/site-config.ts";

/** Red, green and blue. @units 0 to 255 */
export type Rgb = readonly [red: number, green: number, blue: number];

/** WCAG 2.2, 1.4.3. */
const CONTRAST_MIN = 4.5;
const WHITE: Rgb = [255, 255, 255];
const BLACK: Rgb = [0, 0, 0];

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
  if (wanted && contrastOf(background, wanted) >= CONTRAST_MIN) return wanted;
  return contrastOf(background, WHITE) >= contrastOf(background, BLACK) ? WHITE : BLACK;
};

/** -> the colour of any form that CSS has; undefined for other texts and for colours that are not opaque */
const colorOf = (text: string | undefined): Rgb | undefined => {
  if (text === undefined || !CSS.supports("color", text)) return undefined;
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  if (!canvas) return undefined;
  canvas.fillStyle = text;
  canvas.fillRect(0, 0, 1, 1);
  const [red = 0, green = 0, blue = 0, alpha] = canvas.getImageData(0, 0, 1, 1).data;
  return alpha === 255 ? [red, green, blue] : undefined;
};

const cssColor = (color: Rgb): string => `rgb(${color.join(" ")})`;

/** Sets the site's colours, picture and font as custom properties. Properties that the site doesn't give follow the style sheet. */
export const applySiteColors = (root: HTMLElement, site: SiteConfig): void => {
  const set = (name: string, value: string | undefined) => {
    if (value === undefined) root.style.removeProperty(name);
    else root.style.setProperty(name, value);
  };
  const background = colorOf(site.backgroundColor);
  set("--brand", background && cssColor(background));
  set("--on-brand", background && cssColor(readableOn(background, colorOf(site.foregroundColor))));
  const picture = site.backgroundImage === undefined ? undefined : safeMedia(site.backgroundImage, location.href);
  set("--brand-picture", picture && `url(${JSON.stringify(picture)})`);
  const font = site.fontName?.replace(/[^\p{L}\p{N} _-]/gu, "");
  set("--site-font", font ? `"${font}"` : undefined);
};
