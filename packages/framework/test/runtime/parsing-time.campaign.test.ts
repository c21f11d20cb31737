import { Readable } from "node:stream";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { IparamType } from "@parley/contract";
import { RE2JS } from "re2js";
import { boundedWork } from "../../../../test/support/bounded-work.ts";
import { waitUntil } from "../../../../test/support/wait-until.ts";
import { checkIparams } from "../../src/model/iparams/iparams-rules.ts";
import { iparamFieldsOf } from "../../src/model/iparams/fields.ts";
import { matchesPattern, newMatchBudget, patternFault } from "../../src/model/iparams/pattern.ts";
import { checkIparamValues } from "../../src/model/iparams/validate-values.ts";
import { parseTemplate, TemplateError } from "../../src/model/templates/template.ts";
import { appLog } from "../../src/runtime/process/log.ts";
import { createStackTracer } from "../../src/runtime/process/stack-trace.ts";
import { readLines } from "../../src/sandbox/message-lines.ts";
import { processFixture } from "../support/process-fixture.ts";

/** Texts of 500,000 characters for which parsers with quadratic time would take minutes. */
const HOSTILE_PIECES = [
  "\n",
  " ",
  "\t\n",
  "\n    at ",
  "\n at (",
  "at (",
  "server.js:1",
  "server.js:1:1 ",
  "a@",
  "a.",
  "1-",
  "(1 ",
  "https://",
  "-",
  "<%",
  "<%= a ",
  '<%= "',
  "%>",
  "<%=",
  "<%=a%>",
].map((piece) => [JSON.stringify(piece), piece.repeat(500_000 / piece.length)] as const);
const MAP = JSON.stringify({ version: 3, sources: ["a.js"], names: [], mappings: "AAAA" });

/** Parsers whose time grows faster than their input would take minutes. */
describe("a text of 500,000 characters is parsed by", () => {
  const types: IparamType[] = [
    "text",
    "paragraph",
    "email",
    "number",
    "phone_number",
    "date",
    "url",
    "domain",
    "api_key",
  ];
  test.each(HOSTILE_PIECES)("every parser of texts from apps and people: %s", (_title, text) => {
    expect(boundedWork(() => createStackTracer(MAP)(text)).length).toBeLessThan(1_200_000);
    const lines: string[] = [];
    const log = appLog(
      "app",
      (line) => lines.push(line),
      10,
      () => 0,
    );
    boundedWork(() => log("info", text));
    expect(lines.length).toBeLessThanOrEqual(10);
    for (const type of types) {
      const fields = iparamFieldsOf({
        iparams: { k: { display_name: "K", type } },
        callbacksCode: "",
        requests: {},
      });
      boundedWork(() => checkIparamValues(fields, { values: { k: text } }, undefined, ".parley.localhost"));
    }
    try {
      boundedWork(() => parseTemplate(text));
    } catch (error) {
      expect(error).toBeInstanceOf(TemplateError);
    }
  });

  test.each(["+", "||", " ? a : "])("the template parser, in a substitution of parts with '%s'", (sign) => {
    const text = `<%= ${`a${sign}`.repeat(200_000)}a %>`;
    expect(() => boundedWork(() => parseTemplate(text))).toThrow("longer than 4000 characters");
  });
});

describe("a regular expression", () => {
  const evil = "(?:.{500}|b)".repeat(100);

  test("is rejected if its program is too large, even if RE2 would accept it", () => {
    expect(RE2JS.compile(evil).programSize() * 30_000).toBeGreaterThan(1e9);
    expect(patternFault(evil)).toMatch(
      /^It becomes a program of .* instructions, of which 10000 are allowed: repeat less\.$/,
    );
    expect(patternFault("[\\p{L}\\]]{900}".repeat(12))).toMatch(/repeat less/);
    expect(patternFault("(?:[a-z]{10}){900}")).toMatch(/repeat less|invalid repeat/);
  });

  test("that is too large is a finding of validate, and the app is not loaded", () => {
    const regex = { a: evil, "a-error": "no" };
    expect(checkIparams({ k: { display_name: "K", type: "text", regex } })).toMatchObject([
      { code: "iparams-regex", level: "error", help: expect.stringContaining("repeat less") },
    ]);
  });

  test("is rejected before its compilation if that would take long", () => {
    expect(boundedWork(() => patternFault(".{1000}".repeat(100_000)))).toMatch(/more than 40000 instructions/);
  });

  test.each([
    "^.{0,1000}$",
    "^[\\s\\S]{1,1000}$",
    "^(?:\\d{1,3}\\.){3}\\d{1,3}$",
    "^[^\\s@]+@[^\\s@.]+(?:\\.[^\\s@.]+)+$",
    "^\\+?\\(?\\d[\\d ().-]{6,}$",
    "^(?:[a-z0-9-]{1,63}\\.){1,10}[a-z]{2,63}$",
    "(?i)^https?://[\\w.-]{1,255}(?::\\d{1,5})?(?:/\\S{0,900})?$",
  ])("of common form is accepted: %s", (expression) => {
    expect(patternFault(expression)).toBeUndefined();
  });

  test("is matched only within the step limit of one save", () => {
    const large = "(?:.{500}|b)".repeat(19);
    expect(patternFault(large)).toBeUndefined();
    const budget = newMatchBudget();
    expect(matchesPattern(large, "x".repeat(2_000), budget)).toBe(1_048);
    expect(matchesPattern("^a$", "a", budget)).toBe(true);
    const fields = iparamFieldsOf({
      iparams: Object.fromEntries(
        Array.from({ length: 50 }, (_, place) => [
          `k${place}`,
          { display_name: "K", type: "text", regex: { a: large, "a-error": "no" } },
        ]),
      ),
      callbacksCode: "",
      requests: {},
    });
    const values = Object.fromEntries(fields.map(({ key }) => [key, "x".repeat(1_000)]));
    const errors = Object.values(boundedWork(() => checkIparamValues(fields, { values }, undefined, "")).errors);
    expect(errors[0]).toBe("no");
    expect(errors.slice(1)).toEqual(
      errors
        .slice(1)
        .map(() => expect.stringMatching(/^This value is too long to be checked: use at most \d+ characters\.$/)),
    );
  });
});

describe("while one app floods its host", () => {
  let pool: Awaited<ReturnType<typeof processFixture>>;
  beforeAll(async () => {
    pool = await processFixture();
  });
  afterAll(() => pool.close());

  const forge = `const all = (text) => { for (;;) try { rawFs.writeSync(4, text); } catch {} };`;
  test.each([
    [
      "with log lines",
      `console.log("\\n".repeat(20000))`,
      `for (;;) { LINE; await new Promise((go) => setImmediate(go)); }`,
    ],
    ["with small messages", "", `all('{"t":"log","level":"info","text":""}\\n'.repeat(1000));`],
    [
      "with large messages",
      "",
      `all(JSON.stringify({ t: "log", level: "info", text: "\\n".repeat(400000) }) + "\\n");`,
    ],
    ["on its standard output", "", `for (;;) rawFs.writeSync(1, "x\\n".repeat(10000));`],
  ])("%s, every call of another app is answered", async (_title, line, body) => {
    const bad = pool.start(
      `${forge} exports.h = async () => { console.log("floods"); ${body.replace("LINE", line)} };`,
      {
        settings: { callTimeoutMs: 4_000 },
        isEscaped: true,
      },
    );
    const good = pool.start(`exports.h = (args) => renderData(null, args.n);`, { settings: { callTimeoutMs: 3_000 } });
    await Promise.all([bad.handlers, good.handlers]);
    const flooding = bad.call("h", {}, false).catch(String);
    await waitUntil(() => bad.lines.length > 0);
    for (let n = 0; n < 30; n++) expect(await good.call("h", { n }, true)).toEqual({ data: n });
    await bad.kill("the test has seen enough");
    expect(await flooding).toMatch(/ended/);
  });
});

test("a stream with slow handling of lines is read with pauses, and every line is handled once", async () => {
  const source = Readable.from(
    Array.from({ length: 100 }, (_, place) => Buffer.from(`${place}\n`)),
    { objectMode: false },
  );
  const lines: string[] = [];
  let paused = 0;
  source.on("pause", () => (paused += 1));
  const burn = (line: string) => {
    lines.push(line);
    for (const end = performance.now() + 2; performance.now() < end;);
  };
  readLines(source, 1_000, burn, () => undefined);
  await new Promise((resolve) => source.once("end", resolve));
  expect(lines).toEqual(Array.from({ length: 100 }, (_, place) => String(place)));
  expect(paused).toBeGreaterThan(5);
});
