import { readFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
import { CONTRAST_MIN, contrastOf, PAGE_COLORS, rgbOf, type Rgb } from "@parley/contract/display";
import fc from "fast-check";

const css = readFileSync(new URL("../../../src/panel/style/base.css", import.meta.url), "utf8");
type Scheme = "light" | "dark";
const colorIn = (scheme: Scheme, name: keyof typeof PAGE_COLORS): Rgb => {
  const found = rgbOf(PAGE_COLORS[name][scheme === "light" ? 0 : 1]);
  if (!found) throw new Error(`${name} is not a colour.`);
  return found;
};
const part = fc.integer({ min: 0, max: 255 });

test.each<Scheme>(["light", "dark"])(
  "the edge of a button is visible beside its surface whatever the colour of the site: %s",
  (scheme) => {
    const share =
      Number(/--brand-edge: color-mix\(in srgb, var\(--text\) (\d+)%, var\(--brand\)\)/.exec(css)?.[1]) / 100;
    const text = colorIn(scheme, "text");
    fc.assert(
      fc.property(
        fc.tuple(part, part, part),
        fc.constantFrom<"surface" | "surface-inset">("surface", "surface-inset"),
        (brand, surface) => {
          const edge = text.map((value, index) => value * share + brand[index]! * (1 - share)) as unknown as Rgb;
          expect(contrastOf(edge, colorIn(scheme, surface))).toBeGreaterThanOrEqual(CONTRAST_MIN.part);
        },
      ),
      {
        examples: [
          [[255, 255, 255], "surface-inset"],
          [[0, 0, 0], "surface"],
        ],
      },
    );
  },
);
