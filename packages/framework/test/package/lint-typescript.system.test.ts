import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { Finding } from "../../src/model/finding.ts";
import { MISTAKE_RULES } from "../../src/package/validate/lint.ts";
import { projectFolders, type ProjectFolders } from "../support/project-folder.ts";

/** Mistakes in JavaScript and the same in TypeScript, by ESLint's rule. `»` precedes the position that is reported. */
const CASES: Readonly<Record<string, readonly [js: string, ts: string]>> = {
  "for-direction": [
    "»for (let i = 0; i < 3; i--) {}",
    "const most: number = 3;\n»for (let i: number = 0; i < (most as number); i--) {}",
  ],
  "getter-return": [
    "class A { »get a() {} }",
    "abstract class A<T> {\n  abstract m(): T;\n  private »get a(): T {}\n}",
  ],
  "no-const-assign": ["const a = 1; »a = 2;", "const a: number = 1!;\n»a = <number>2;"],
  "no-dupe-args": ["function f»(a, a) {}", "function f»(a: number, a?: string) {}"],
  "no-dupe-else-if": [
    "if (exports) {} else if (»exports) {}",
    "if (exports as any) {} else if (»exports satisfies object) {}",
  ],
  "no-dupe-keys": ["void { a: 1, »a: 2 };", "const a: {\n  a: number;\n} = { a: 1 as const, »a: 2 };\nvoid a;"],
  "no-duplicate-case": [
    "switch (1) { case 1: case 2: »case 1: }",
    "enum Kind { A, B }\nswitch (Kind.A as Kind) { case Kind.A: case Kind.B: »case Kind.A: }",
  ],
  "no-func-assign": [
    "function f() {} »f = 1;",
    "function f(a: string): void;\nfunction f(a?: unknown) {}\n»f = 1 as any;",
  ],
  "no-invalid-regexp": ['void »new RegExp("[");', 'const a: RegExp = »new RegExp("[");\nvoid a;'],
  "no-obj-calls": ["void »Math();", "const a = (b?: number) => »(Math as any)();\nvoid a;"],
  "no-self-assign": ["let a = 1; a = »a;", "let a!: number, b: string;\na = »a;"],
  "no-this-before-super": [
    "class A extends Object { constructor() { »this.a = 1; super(); } }",
    "class A<T> extends Map<string, T> implements Iterable<[string, T]> {\n  constructor(private readonly a?: T) { »this.a = a; super(); }\n}",
  ],
  "no-unreachable": [
    "void function () { return 1; »exports; };",
    "const f = (\n  a: number,\n): {\n  a: number;\n} => { return { a }; »exports; };\nvoid f;",
  ],
  "no-unsafe-finally": [
    "void function () { try {} finally { »return 1; } };",
    "void function (this: void): number { try {} finally { »return 1 as number; } };",
  ],
  "no-unsafe-negation": ["void (»!exports in exports);", "const a: object = {};\nvoid (»!a in (exports as object));"],
  "use-isnan": ["void (»1 === NaN);", "type A = number | undefined;\nvoid (»(1 as A) === NaN);"],
  "valid-typeof": [
    'void (typeof exports === »"strnig");',
    'declare function g<T>(a: T): asserts a is T;\nvoid (typeof exports === »"strnig");',
  ],
  "lint-undefined": [
    "void »nowhere;",
    "interface I { a: Somewhere }\ndeclare const somewhere: I;\ndeclare global { const anywhere: I; }\nvoid [somewhere, anywhere, »nowhere as Elsewhere];",
  ],
};

const withoutMark = (text: string): string => text.replace("»", "");
const positionOf = (text: string) => {
  const lines = text.slice(0, text.indexOf("»")).split("\n");
  return { line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 };
};

let apps: ProjectFolders;
let findings: readonly Finding[];
const filesOf = (index: 0 | 1, extension: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(CASES).map(([rule, texts]) => [`server/lib/${rule}.${extension}`, withoutMark(texts[index])]),
  );
beforeAll(async () => {
  apps = await projectFolders({ reusesFolder: true });
  ({ findings } = await apps.validate({ ...filesOf(0, "js"), ...filesOf(1, "ts") }));
});
afterAll(() => apps.remove());

const lintFindings = (file: string) =>
  findings
    .filter((finding) => finding.file === file && finding.code !== "syntax-warning")
    .map(({ code, message, line, column }) => ({ code, message, line, column }));

test("the table has each rule", () => {
  expect(Object.keys(CASES).sort()).toEqual([...Object.keys(MISTAKE_RULES), "lint-undefined"].sort());
});

test.each(Object.entries(CASES))("%s is reported in TypeScript as in JavaScript, at its position", (rule, [js, ts]) => {
  const [inScript, ...others] = lintFindings(`server/lib/${rule}.js`);
  expect(others).toEqual([]);
  expect(inScript).toMatchObject({ code: rule === "lint-undefined" ? rule : "lint", ...positionOf(js) });
  expect(lintFindings(`server/lib/${rule}.ts`)).toEqual([{ ...inScript, ...positionOf(ts) }]);
});

const SYNTAX = `import type { A } from "./a.ts";
import { type B, used, type C } from "./b.ts";
import whole = require("./c.ts");
export type { A, B, C };
export interface I { a: string }
declare module "x" { export const a: string }
declare class Outside { a: string }
export const enum Color { Red = "red" }
namespace Space { export const inside = nowhere; }
abstract class Base<T extends object = object> implements I, Iterable<T> {
  declare readonly x: string;
  private static readonly y?: number = 1;
  a!: string;
  [key: string]: unknown;
  constructor(protected readonly p: string, public q = whole) { void p; }
  overload(a: string): void;
  overload(this: Base<T>, a?: unknown, ...rest: string[]): asserts a is string { void [a, rest]; }
  @used() accessor decorated = 1;
  *[Symbol.iterator](): Iterator<T> {}
}
export default abstract class {}
export const result = async <T,>(
  a: T,
  { b }: { b?: T } = {},
): Promise<{
  a: T;
}> => ({ a: (b ?? a)! as T }) satisfies object;
void [Base, Outside, Color, Space, used<string>, <unknown>result];
void ${"missing"};
`;

test("TypeScript of every kind is linted up to its last line", async () => {
  const { findings } = await apps.validate({ "server/lib/syntax.ts": SYNTAX });
  const own = findings.filter(({ file }) => file === "server/lib/syntax.ts");
  expect(own.map(({ code, message }) => [code, message])).toEqual([
    ["lint-undefined", expect.stringContaining("missing")],
  ]);
  expect(own[0]).toMatchObject({ line: SYNTAX.split("\n").length - 1, column: 6 });
});

test("a syntax error in TypeScript is reported once, at its position", async () => {
  const { findings } = await apps.validate({ "server/lib/broken.ts": "const a: number = 1;\nconst b: = nowhere;\n" });
  expect(findings.map(({ code, file, line, column }) => ({ code, file, line, column }))).toEqual([
    { code: "syntax", file: "server/lib/broken.ts", line: 2, column: 10 },
  ]);
});
