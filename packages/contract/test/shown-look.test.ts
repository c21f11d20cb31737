import { expect, test } from "@jest/globals";
import type { MessengerLook } from "../src/messenger/account-settings.ts";
import { shownLook } from "../src/display/shown-look.ts";

const TEXTS: MessengerLook["texts"] = {
  en: { title: "Ask us", help: "We answer here.", button_label: "Chat" },
  de: { title: "Fragen Sie uns" },
  "de-AT": { title: "Servus", away: "Wir haben zu." },
};

test("an account without a look has the messenger's own values", () => {
  expect(shownLook({}, ["de"], "en")).toEqual({});
});

test.each([
  [
    { color: "#FFD400", text_color: "#ffffff" },
    { color: "#ffd400", text_color: "#000000" },
  ],
  [
    { color: "#14532d", text_color: "#fde68a" },
    { color: "#14532d", text_color: "#fde68a" },
  ],
  [
    { color: "#14532d", dark_color: "#bbf7d0", text_color: "#fde68a" },
    { color: "#14532d", text_color: "#fde68a", dark_color: "#bbf7d0", dark_text_color: "#000000" },
  ],
  [{ dark_color: "#bbf7d0", text_color: "#fde68a" }, {}],
  [
    { button_size: "small", panel_size: "large" } as const,
    { button: "48px", panel_width: "448px", panel_height: "800px" },
  ],
  [{ bottom_px: 0, side_px: 200, position: "left" } as const, { bottom: "0px", side: "200px", position: "left" }],
])("%j is shown as %j", (look, shown) => expect(shownLook(look, ["en"], "en")).toEqual(shown));

test.each([
  ["en", TEXTS["en"]],
  ["fr", TEXTS["en"]],
  ["de", { ...TEXTS["en"], ...TEXTS["de"] }],
  ["de_AT", { ...TEXTS["en"], ...TEXTS["de"], ...TEXTS["de-AT"] }],
  ["fr,de", { ...TEXTS["en"], ...TEXTS["de"] }],
  ["de-CH", { ...TEXTS["en"], ...TEXTS["de"] }],
])("the texts for %s are the best of the language and region, the language and the primary language", (locale, texts) =>
  expect(shownLook({ texts: TEXTS }, locale.split(","), "en").texts).toEqual(texts),
);
