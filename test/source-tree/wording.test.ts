import { expect, test } from "@jest/globals";
import { APP_FOLDERS, readFiles } from "./sources.ts";

/** Pronouns in place of a noun, as regular expressions whose spaces may be line breaks of a comment. */
const PHRASES = [
  String.raw`there (?:is|are|was|were) none`,
  "another one",
  "such a one",
  "(?:older|newer|earlier|later|further|existing|present|unknown) ones",
  "(?:is|are|was|were) none of",
  String.raw`(?:that|which|who|what) (?:is|are|was|were) no (?!longer\b|more\b)\w+`,
];
const SPACE = String.raw`\s+(?:(?:\*|//|--|#)\s+)?`;
const THIS_FILE = "test/source-tree/wording.test.ts";

const texts = readFiles(
  ["packages", "test", "docs", "scripts", "bench", "crash", "mutation", "deploy", ...APP_FOLDERS],
  /\.(?:tsx?|mjs|md|hbs|css|html|tmpl|pl|sh)$/,
).filter(({ path }) => path !== THIS_FILE);

test.each(PHRASES)("comments, messages and pages repeat the noun instead of: %s", (phrase) => {
  const pattern = new RegExp(String.raw`\b${phrase.replaceAll(" ", SPACE)}\b`, "gi");
  const found = texts.flatMap(({ path, text }) =>
    [...text.matchAll(pattern)].map(
      ({ 0: words, index }) => `${path}:${text.slice(0, index).split("\n").length} ${words}`,
    ),
  );
  expect(found).toEqual([]);
});
