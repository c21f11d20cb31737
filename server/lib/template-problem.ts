import type Handlebars from "handlebars";
import type { LineProblem } from "./lines.ts";

/** Blocks that a template may use: each is gone through once, so a template can neither run long nor say endlessly much. */
const BLOCKS = ["if", "unless", "with"];
const EXAMPLE = "user.first_name";

type Statement =
  hbs.AST.MustacheStatement | hbs.AST.BlockStatement | hbs.AST.ContentStatement | hbs.AST.CommentStatement;
type Program = ReturnType<typeof Handlebars.parse>;

const isValue = ({ type }: hbs.AST.Expression): boolean => type === "PathExpression" || type.endsWith("Literal");

const sentenceOn = (statement: Statement): string | undefined => {
  switch (statement.type) {
    case "ContentStatement":
    case "CommentStatement":
      return undefined;
    case "MustacheStatement": {
      const { original } = statement.path as hbs.AST.PathExpression;
      const isName = statement.path.type === "PathExpression" && !BLOCKS.includes(original);
      if (isName && statement.params.length === 0 && !statement.hash) return undefined;
      return `{{${original}}} can't be used like this: write one name, such as {{${EXAMPLE}}}.`;
    }
    case "BlockStatement": {
      const { original } = statement.path;
      if (!BLOCKS.includes(original)) return `{{#${original}}} can't be used: use {{#if}}, {{#unless}} or {{#with}}.`;
      if (statement.params.length === 1 && statement.params.every(isValue) && !statement.hash) return undefined;
      return `{{#${original}}} takes one name, such as {{#${original} ${EXAMPLE}}}.`;
    }
    default:
      return "{{> …}} and {{* …}} can't be used: a welcome message stands alone.";
  }
};

/** -> the first thing in a template that a welcome message can't use, undefined when all of it can be used */
export function refusalIn(program: Program): LineProblem | undefined {
  for (const statement of program.body as Statement[]) {
    const message = sentenceOn(statement);
    if (message) return { line: statement.loc.start.line, message };
    if (statement.type !== "BlockStatement") continue;
    for (const branch of [statement.program, statement.inverse] as (Program | undefined)[]) {
      const refusal = branch && refusalIn(branch);
      if (refusal) return refusal;
    }
  }
  return undefined;
}

/** The parser's words are for programmers: an admin needs the line and what to look for. */
export function problemOf(error: unknown): LineProblem {
  const { message, lineNumber } = error as { readonly message: string; readonly lineNumber?: number };
  const line = lineNumber ?? Number(/on line (\d+)/.exec(message)?.[1] ?? 1);
  const mismatch = /(\S+) doesn't match (\S+)/.exec(message);
  if (mismatch) return { line, message: `{{#${mismatch[1]}}} is closed by {{/${mismatch[2]}}}.` };
  if (message.includes("got 'EOF'"))
    return { line, message: "something isn't closed: {{ needs its }}, and {{#if …}} its {{/if}}." };
  return { line, message: `a placeholder can't be read: write it like {{${EXAMPLE}}}.` };
}
