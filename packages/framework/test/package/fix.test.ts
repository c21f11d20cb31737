import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { applyFixes } from "../../src/package/load/fix.ts";
import { FIXABLE_RULES } from "../../src/model/fixable-rules.ts";
import { duplicateKeys, parseAppJson } from "../../src/model/json.ts";
import { jsonRepair, withReplacements } from "../../src/model/json-repair.ts";
import { misspeltMembers } from "../../src/model/similar-name.ts";
import { DECISIONS, FIX_CASES, type FixableCode } from "./fix-cases.ts";
import { projectFolders, type ProjectFolders } from "../support/project-folder.ts";

let apps: ProjectFolders;
let folder: string;
beforeAll(async () => {
  apps = await projectFolders({ reusesFolder: true });
  folder = await mkdtemp(join(tmpdir(), "parley-fix-"));
});
afterAll(() => Promise.all([apps.remove(), rm(folder, { recursive: true })]));

/** The text of a file after the corrections of its findings. */
const corrected = async (file: string, text: string, files: Readonly<Record<string, unknown>>) => {
  const { findings } = await apps.validate({ ...files, [file]: text });
  const own = findings.filter((finding) => finding.file === file).map((finding) => ({ ...finding, file: "file.json" }));
  await writeFile(join(folder, "file.json"), text);
  const [fixed] = await applyFixes(folder, own);
  return { findings, text: fixed?.after ?? text };
};

const rows = Object.entries(FIX_CASES).flatMap(([code, cases]) =>
  cases.map((one, index) => ({ code: code as FixableCode, title: `${code} ${index + 1}`, ...one })),
);

describe("validate --fix corrects a finding, leaves all other text, and finds nothing to correct afterwards:", () => {
  test.each(rows)("$title", async ({ code, file, before, after, others = {} }) => {
    const first = await corrected(file, before, others);
    expect(first.findings.filter((finding) => finding.code === code && finding.fix)).not.toEqual([]);
    expect(first.text).toBe(after);
    const second = await corrected(file, after, others);
    expect(second.findings.filter((finding) => finding.code === code)).toEqual([]);
    expect(second.text).toBe(after);
  });
});

test("validate --fix has a tested correction for each rule that is marked as corrected", () => {
  expect(Object.keys(FIX_CASES).sort()).toEqual([...FIXABLE_RULES].sort());
});

describe("validate --fix leaves to the author", () => {
  test.each(DECISIONS)("%s", async (_title, files) => {
    const { findings } = await apps.validate(files);
    expect(findings).not.toEqual([]);
    expect(findings.filter(({ fix }) => fix)).toEqual([]);
  });
});

test("removing comments and trailing commas keeps the value of any JSON text, and does so once", () => {
  const comma = fc.constantFrom("", ",", " ,", ",\n");
  const space = fc.constantFrom("", " ", "\n", "// a, {\n", "/* b ] */");
  fc.assert(
    fc.property(
      fc.jsonValue({ maxDepth: 3 }),
      fc.infiniteStream(comma),
      fc.infiniteStream(space),
      (value, commas, spaces) => {
        const next = (stream: Iterator<string>): string => String(stream.next().value);
        const written = (one: unknown): string => {
          const entries = (texts: readonly string[]) =>
            texts.join(`${next(spaces)},${next(spaces)}`) + (texts.length > 0 ? next(commas) : "");
          if (Array.isArray(one)) return `[${next(spaces)}${entries(one.map(written))}${next(spaces)}]`;
          if (typeof one !== "object" || one === null) return JSON.stringify(one);
          return `{${entries(Object.entries(one).map(([key, member]) => `${JSON.stringify(key)}:${next(spaces)}${written(member)}`))}}`;
        };
        const text = written(value);
        const result = withReplacements(text, jsonRepair(text) ?? []);
        expect(JSON.parse(result)).toEqual(JSON.parse(JSON.stringify(value)));
        expect(jsonRepair(result)).toBeUndefined();
      },
    ),
  );
});

test("removing members that occur twice keeps the value of any JSON text", async () => {
  const key = fc.constantFrom("a", "b", "c");
  const { object } = fc.letrec<{ object: string; value: string }>((tie) => ({
    value: fc.oneof({ depthSize: "small" }, fc.constantFrom("1", '"x"', "null"), tie("object")),
    object: fc
      .array(fc.tuple(key, tie("value")), { maxLength: 5 })
      .map((members) => `{ ${members.map(([name, value]) => `"${name}": ${value}`).join(", ")} }`),
  }));
  await fc.assert(
    fc.asyncProperty(object, async (text) => {
      let current = text;
      // Members of a removed member are no longer reported.
      await writeFile(join(folder, "file.json"), current);
      const [fixed] = await applyFixes(folder, duplicateKeys("file.json", current));
      current = fixed?.after ?? current;
      expect(JSON.parse(current)).toEqual(JSON.parse(text));
      expect(duplicateKeys("file.json", current)).toEqual([]);
    }),
    { numRuns: 60 },
  );
});

test("a syntax error in a file of comments only has no correction", () => {
  expect(parseAppJson("a.json", "// nothing")).toMatchObject({ findings: [{ code: "syntax" }] });
  expect(jsonRepair("// nothing")).toBeUndefined();
});

test("a misspelt member is not corrected to a name that another member means or has", () => {
  expect(misspeltMembers(["requird", "required"], ["required"])).toEqual([]);
  expect(misspeltMembers(["requird", "reqired"], ["required"])).toEqual([]);
  expect(misspeltMembers(["Required"], ["required"])).toEqual([{ name: "Required", meant: "required" }]);
});
