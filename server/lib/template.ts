import Handlebars from "handlebars";
import type { LineProblem } from "./lines.ts";
import { problemOf, refusalIn } from "./template-problem.ts";

const TEMPLATE_CHARACTERS = 4_000;
/** A message beyond this is no message; a customer's own name could make it that long. */
export const TEXT_CHARACTERS = 4_000;

export type Template =
  | {
      readonly ok: true;
      /** -> plain text, empty when the template says nothing for this data; what it names and isn't there is nothing */
      render(data: object): string;
    }
  | { readonly ok: false; readonly problem: LineProblem };

/** A record named whole, as in {{user}}, reads as nothing instead of "[object Object]". */
const SILENT = { toString: () => "" };

const speakable = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(speakable);
  if (typeof value !== "object" || value === null) return value;
  const record = Object.create(SILENT) as Record<string, unknown>;
  for (const [name, inner] of Object.entries(value))
    Object.defineProperty(record, name, { value: speakable(inner), enumerable: true });
  return record;
};

const cut = (text: string): string => {
  const characters = [...text];
  return characters.length <= TEXT_CHARACTERS ? text : `${characters.slice(0, TEXT_CHARACTERS - 1).join("")}…`;
};

/**
 * Reads the admin's template: strict about its syntax, lenient about what isn't known of a customer.
 * A message is plain text, so nothing is escaped for HTML.
 */
export function readTemplate(template: string): Template {
  if (template.length > TEMPLATE_CHARACTERS)
    return { ok: false, problem: { line: 1, message: `the text has more than ${TEMPLATE_CHARACTERS} characters.` } };
  try {
    const program = Handlebars.parse(template);
    const refusal = refusalIn(program);
    if (refusal) return { ok: false, problem: refusal };
    const render = Handlebars.compile<unknown>(program, {
      noEscape: true,
      knownHelpersOnly: true,
      // Without these a name such as {{log}} is a name and nothing else.
      knownHelpers: { each: false, log: false, lookup: false, helperMissing: false, blockHelperMissing: false },
    });
    return {
      ok: true,
      // Denied by default already; said here, they are denied without a line in the log.
      render: (data) =>
        cut(
          render(speakable(data), { allowProtoPropertiesByDefault: false, allowProtoMethodsByDefault: false }),
        ).trim(),
    };
  } catch (error) {
    return { ok: false, problem: problemOf(error) };
  }
}

/**
 * Renders one of the admin's templates for a message.
 * @param name of the setting, for the words of a failure
 * @errors Error when it can't be read
 */
export function rendered(template: string, name: string, data: object): string {
  const read = readTemplate(template);
  if (!read.ok)
    throw new Error(`The setting "${name}" can't be read: line ${read.problem.line}: ${read.problem.message}`);
  return read.render(data);
}
