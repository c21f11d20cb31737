import { readableOn, safeMedia, type Rgb } from "@parley/contract/display";
import type { SiteConfig } from "../config/site-config.ts";

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

/** Sets colours, picture and font as custom properties, which the style sheet uses in place of its own. */
export const applySiteColors = (root: HTMLElement, site: SiteConfig): void => {
  const set = (name: string, value: string | undefined) => {
    if (value === undefined) root.style.removeProperty(name);
    else root.style.setProperty(name, value);
  };
  const setPair = (name: string, color: string | undefined, textColor: string | undefined) => {
    const background = colorOf(color);
    set(`--site-${name}`, background && cssColor(background));
    set(`--site-on-${name}`, background && cssColor(readableOn(background, colorOf(textColor))));
  };
  setPair("brand", site.backgroundColor, site.foregroundColor);
  setPair("dark-brand", site.darkBackgroundColor, site.darkForegroundColor);
  const picture = site.backgroundImage === undefined ? undefined : safeMedia(site.backgroundImage, location.href);
  set("--brand-picture", picture && `url(${JSON.stringify(picture)})`);
  const font = site.fontName?.replace(/[^\p{L}\p{N} _-]/gu, "");
  set("--site-font", font ? `"${font}"` : undefined);
};
