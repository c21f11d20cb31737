import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { csvOf } from "../../../src/administration/reports/csv.ts";

test.each([
  ["texts and numbers", [["Start", "12.500"]], '"Start","12.500"\r\n'],
  ["several records", [["a"], ["b"]], '"a"\r\n"b"\r\n'],
  ["commas, line ends and quotes", [['a,"b"\r\nc']], '"a,""b""\r\nc"\r\n'],
  [
    "a formula",
    [["=1+1"], ["+1"], ["-1"], ["@x"], ["\tx"], ["\rx"]],
    '"\'=1+1"\r\n"\'+1"\r\n"\'-1"\r\n"\'@x"\r\n"\'\tx"\r\n"\'\rx"\r\n',
  ],
  [
    "a formula of full-width characters",
    [["＝1"], ["＋1"], ["－1"], ["＠x"]],
    '"\'＝1"\r\n"\'＋1"\r\n"\'－1"\r\n"\'＠x"\r\n',
  ],
  ["an equals sign elsewhere", [["a=b"]], '"a=b"\r\n'],
  ["empty cells", [["", ""]], '"",""\r\n'],
  ["no records", [], ""],
])("a CSV file of %s", (_, records, text) => {
  expect(csvOf(records)).toBe(text);
});

/** Reads a file in which every cell is quoted. */
const parse = (text: string): string[][] =>
  text
    .split(/(?<=")\r\n(?="|$)/)
    .filter((line) => line !== "")
    .map((line) =>
      line
        .slice(1, -1)
        .split('","')
        .map((cell) => cell.replaceAll('""', '"')),
    );

test("every text can be read back from a CSV file, and no cell begins like a formula", () => {
  // Without quotes, since the reader above splits at them.
  const cell = fc.string().filter((text) => !text.includes('"'));
  fc.assert(
    fc.property(fc.array(fc.array(cell, { minLength: 1 }), { minLength: 1 }), (records) => {
      const read = parse(csvOf(records));
      const safe = (text: string) => (/^[=+\-@＝＋－＠\t\r\n]/.test(text) ? `'${text}` : text);
      expect(read).toEqual(records.map((cells) => cells.map(safe)));
      expect(read.flat().filter((text) => /^[=+\-@＝＋－＠\t\r\n]/.test(text))).toEqual([]);
    }),
  );
});
