import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync } from "node:zlib";
import { expect, test } from "@jest/globals";
import { PANEL_FOLDER, WIDGET_FILE } from "../../src/index.ts";

/** @units bytes, compressed */
const [SCRIPT_BYTES_MAX, PANEL_BYTES_MAX] = [8_000, 45_000];
const REFERENCE = /<(?:script|link)[^>]+(?:src|href)="\/messenger\/([^"]+\.(?:js|css))"/g;
/** Dynamic imports have a parenthesis: they are loaded when they are needed. */
const STATIC_IMPORT = /\b(?:from|import)\s*["'`]\.\/([^"'`]+\.js)["'`]/g;

const compressed = (path: string): number => brotliCompressSync(readFileSync(path)).length;

/** -> files below the folder of the panel that its page loads before it is usable */
const filesAtStart = (): readonly string[] => {
  const found = new Set<string>(["index.html"]);
  for (const file of found) {
    const text = readFileSync(join(PANEL_FOLDER, file), "utf8");
    for (const [, path] of text.matchAll(REFERENCE)) found.add(path!);
    for (const [, name] of text.matchAll(STATIC_IMPORT)) found.add(`assets/${name}`);
  }
  return [...found];
};

/** -> the largest file of a language: panels in other languages than English load one at their start */
const languageFile = (): string => {
  const languages = readdirSync(new URL("../../src/panel/texts/languages", import.meta.url)).map((name) =>
    name.replace(".ts", "-"),
  );
  const files = readdirSync(join(PANEL_FOLDER, "assets"))
    .filter((name) => name.endsWith(".js") && languages.some((language) => name.startsWith(language)))
    .map((name) => `assets/${name}`);
  return files.toSorted((a, b) => compressed(join(PANEL_FOLDER, b)) - compressed(join(PANEL_FOLDER, a)))[0]!;
};

test("the script that sites embed has at most 8 kB, compressed", () => {
  expect(compressed(WIDGET_FILE)).toBeLessThanOrEqual(SCRIPT_BYTES_MAX);
});

test("the page, scripts, styles and language with which the panel starts have at most 45 kB, compressed", () => {
  const sizes = Object.fromEntries(
    [...filesAtStart(), languageFile()].map((file) => [file, compressed(join(PANEL_FOLDER, file))]),
  );
  expect(Object.keys(sizes)).toEqual(
    expect.arrayContaining([expect.stringMatching(/\.js$/), expect.stringMatching(/\.css$/)]),
  );
  const sum = Object.values(sizes).reduce((total, size) => total + size, 0);
  // The message of a failure names the files.
  expect({ sizes, isSmall: sum <= PANEL_BYTES_MAX }).toEqual({ sizes, isSmall: true });
});
