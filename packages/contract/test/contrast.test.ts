import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { CONTRAST_MIN, contrastOf, hexOf, readableOn, rgbOf, type Rgb } from "../src/display/contrast.ts";

const part = fc.integer({ min: 0, max: 255 });
const color = fc.tuple(part, part, part);

test.each<[Rgb, Rgb, number]>([
  [[0, 0, 0], [255, 255, 255], 21],
  [[119, 119, 119], [255, 255, 255], 4.48],
  [[255, 0, 0], [255, 255, 255], 4],
  [[20, 83, 45], [20, 83, 45], 1],
])("the contrast of %j and %j is %d, in both directions", (one, other, contrast) => {
  expect(contrastOf(one, other)).toBeCloseTo(contrast, 2);
  expect(contrastOf(other, one)).toBeCloseTo(contrast, 2);
});

test.each<[background: Rgb, wanted: Rgb | undefined, shown: Rgb]>([
  [
    [0, 0, 0],
    [255, 255, 0],
    [255, 255, 0],
  ],
  [
    [255, 212, 0],
    [255, 255, 255],
    [0, 0, 0],
  ],
  [
    [31, 79, 216],
    [31, 79, 200],
    [255, 255, 255],
  ],
  [[118, 118, 118], undefined, [0, 0, 0]],
])("on the background %j the wanted colour %j becomes %j", (background, wanted, shown) =>
  expect(readableOn(background, wanted)).toEqual(shown),
);

test("on every background the text is readable, and a wanted colour that is readable is kept", () => {
  fc.assert(
    fc.property(color, color, (background, wanted) => {
      const shown = readableOn(background, wanted);
      expect(contrastOf(background, shown)).toBeGreaterThanOrEqual(CONTRAST_MIN.text);
      expect(shown === wanted).toBe(contrastOf(background, wanted) >= CONTRAST_MIN.text);
    }),
  );
});

test("a colour and its text are the same colour", () => {
  fc.assert(fc.property(color, (rgb) => expect(rgbOf(hexOf(rgb))).toEqual(rgb)));
  expect([rgbOf("#14532D"), rgbOf("#14532"), rgbOf("red"), rgbOf(undefined)]).toEqual([
    [20, 83, 45],
    undefined,
    undefined,
    undefined,
  ]);
});
