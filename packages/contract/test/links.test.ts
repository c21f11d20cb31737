import { expect, test } from "@jest/globals";
import { linkPieces, safeLink, safeMedia } from "@parley/contract/display";

const linksIn = (text: string): (string | undefined)[] =>
  linkPieces(text).flatMap(({ text: piece, href }) => (href === undefined ? [] : [`${piece} -> ${href}`]));

const cases: readonly (readonly [text: string, ...links: string[]])[] = [
  ["no link at all"],
  ["https://example.com", "https://example.com -> https://example.com/"],
  ["See https://example.com/a?b=1#c.", "https://example.com/a?b=1#c -> https://example.com/a?b=1#c"],
  ["(https://example.com/a)", "https://example.com/a -> https://example.com/a"],
  ["https://example.com/a_(b)", "https://example.com/a_(b) -> https://example.com/a_(b)"],
  ["www.example.com, please", "www.example.com -> https://www.example.com/"],
  ["Write to ann@example.com!", "ann@example.com -> mailto:ann@example.com"],
  ["mailto:ann@example.com", "mailto:ann@example.com -> mailto:ann@example.com"],
  ["tel:+49-30-123", "tel:+49-30-123 -> tel:+49-30-123"],
  [
    "http://a.example and http://b.example",
    "http://a.example -> http://a.example/",
    "http://b.example -> http://b.example/",
  ],
  ['https://example.com/"onclick=x', "https://example.com/ -> https://example.com/"],
  ["<https://example.com>", "https://example.com -> https://example.com/"],
  ["javascript:alert(1)"],
  ["data:text/html,x"],
  ["file:///etc/passwd"],
  ["https://"],
  ["HTTPS://EXAMPLE.COM", "HTTPS://EXAMPLE.COM -> https://example.com/"],
  ["jörg@bücher.example", "jörg@bücher.example -> mailto:j%C3%B6rg@b%C3%BCcher.example"],
];

test.each(cases)("links in %j", (text, ...links) => {
  expect(linksIn(text)).toEqual(links);
});

test.each(cases)("the pieces of %j are the whole text", (text) => {
  expect(
    linkPieces(text)
      .map((piece) => piece.text)
      .join(""),
  ).toBe(text);
});

test("a long text without spaces is searched in linear time: in quadratic time, the test would time out", () => {
  for (const text of ["a".repeat(500_000), "www.".repeat(100_000), `https://example.com/${")".repeat(500_000)}`])
    expect(
      linkPieces(text)
        .map((piece) => piece.text)
        .join(""),
    ).toHaveLength(text.length);
});

test.each(["javascript:alert(1)", " javascript:alert(1)", "vbscript:x", "data:text/html,x", "/relative", "", "blob:x"])(
  "%j is not opened",
  (address) => {
    expect(safeLink(address)).toBeUndefined();
  },
);

test("pictures are loaded by http, https, or from the page's origin", () => {
  const base = "https://chat.example/console/";
  expect(safeMedia("/objects/1", base)).toBe("https://chat.example/objects/1");
  expect(safeMedia("https://cdn.example/1", base)).toBe("https://cdn.example/1");
  expect(safeMedia("data:image/png;base64,xx", base)).toBeUndefined();
  expect(safeMedia("javascript:x", base)).toBeUndefined();
});
