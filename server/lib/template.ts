import Handlebars from "handlebars";
import type { SettingLineProblem } from "./setting-lines.ts";

const TEMPLATE_CHARACTERS_MAX = 4_000;
/** Maximum length of a message; a customer's name could make it longer. */
export const MESSAGE_CHARACTERS_MAX = 4_000;

export type ParsedMessageTemplate =
  | {
      readonly ok: true;
      /** -> plain text; empty if the template yields nothing for this data. Unknown names yield nothing. */
      render(data: object): string;
    }
  | { readonly ok: false; readonly problem: SettingLineProblem };

/** A whole record, as in {{user}}, yields nothing instead of "[object Object]". */
const EMPTY_TEXT = { toString: () => "" };

const toTemplateData = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(toTemplateData);
  if (typeof value !== "object" || value === null) return value;
  const record = Object.create(EMPTY_TEXT) as Record<string, unknown>;
  for (const [name, inner] of Object.entries(value))
    Object.defineProperty(record, name, { value: toTemplateData(inner), enumerable: true });
  return record;
};

const truncate = (text: string): string => {
  const characters = [...text];
  return characters.length <= MESSAGE_CHARACTERS_MAX
    ? text
    : `${characters.slice(0, MESSAGE_CHARACTERS_MAX - 1).join("")}…`;
};

/**
 * Parses the admin's template: syntax errors are refused, unknown names are permitted.
 * Messages are plain text, so nothing is escaped for HTML.
 */
export function parseMessageTemplate(template: string): ParsedMessageTemplate {
  if (template.length > TEMPLATE_CHARACTERS_MAX)
    return {
      ok: false,
      problem: { line: 1, message: `the text has more than ${TEMPLATE_CHARACTERS_MAX} characters.` },
    };
  try {
    const program = Handlebars.parse(template);
    const refusal = templateProblemIn(program);
    if (refusal) return { ok: false, problem: refusal };
    const render = Handlebars.compile<unknown>(program, {
      noEscape: true,
      knownHelpersOnly: true,
      // Disables these helpers, so that {{log}} is an ordinary name.
      knownHelpers: { each: false, log: false, lookup: false, helperMissing: false, blockHelperMissing: false },
    });
    return {
      ok: true,
      // Prototype members are denied by default; the explicit settings prevent a line in the log.
      render: (data) =>
        truncate(
          render(toTemplateData(data), { allowProtoPropertiesByDefault: false, allowProtoMethodsByDefault: false }),
        ).trim(),
    };
  } catch (error) {
    return { ok: false, problem: parserProblemOf(error) };
  }
}

/**
 * Renders one of the admin's templates for a message.
 * @param name of the setting, for the error message
 * @errors Error if the template can't be parsed
 */
export function renderMessage(template: string, name: string, data: object): string {
  const read = parseMessageTemplate(template);
  if (!read.ok)
    throw new Error(`The setting "${name}" can't be read: line ${read.problem.line}: ${read.problem.message}`);
  return read.render(data);
}

/** Blocks that a template may use. No block repeats its content, which bounds the time and the length of the text. */
const BLOCKS = ["if", "unless", "with"];
const EXAMPLE = "user.first_name";

type Statement =
  | hbs.AST.MustacheStatement
  | hbs.AST.BlockStatement
  | hbs.AST.ContentStatement
  | hbs.AST.CommentStatement;
type Program = ReturnType<typeof Handlebars.parse>;

const isValue = ({ type }: hbs.AST.Expression): boolean => type === "PathExpression" || type.endsWith("Literal");

const statementProblem = (statement: Statement): string | undefined => {
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

/** -> the first part of a template that a message can't use; undefined if a message can use all parts */
function templateProblemIn(program: Program): SettingLineProblem | undefined {
  for (const statement of program.body as Statement[]) {
    const message = statementProblem(statement);
    if (message) return { line: statement.loc.start.line, message };
    if (statement.type !== "BlockStatement") continue;
    for (const branch of [statement.program, statement.inverse] as (Program | undefined)[]) {
      const refusal = branch && templateProblemIn(branch);
      if (refusal) return refusal;
    }
  }
  return undefined;
}

/** Replaces the parser's message, which is for programmers, by the line and a hint for the admin. */
function parserProblemOf(error: unknown): SettingLineProblem {
  const { message, lineNumber } = error as { readonly message: string; readonly lineNumber?: number };
  const line = lineNumber ?? Number(/on line (\d+)/.exec(message)?.[1] ?? 1);
  const mismatch = /(\S+) doesn't match (\S+)/.exec(message);
  if (mismatch) return { line, message: `{{#${mismatch[1]}}} is closed by {{/${mismatch[2]}}}.` };
  if (message.includes("got 'EOF'"))
    return { line, message: "something isn't closed: {{ needs its }}, and {{#if …}} its {{/if}}." };
  return { line, message: `a placeholder can't be read: write it like {{${EXAMPLE}}}.` };
}
