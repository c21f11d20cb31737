import type { Associations, Conversation, User } from "@parley/contract";
import Handlebars from "handlebars";
import type { LineProblem } from "./lines.ts";
import { problemOf, refusalIn } from "./template-problem.ts";

const TEMPLATE_CHARACTERS = 4_000;
/** A greeting beyond this is no greeting; a customer's own name could make it that long. */
export const WELCOME_CHARACTERS = 4_000;

/** What a template can speak of. All of it may be missing. */
export interface WelcomeData {
  readonly user?: Partial<User>;
  readonly channel?: Partial<NonNullable<Associations["channel"]>>;
  readonly conversation?: Partial<Conversation>;
  readonly bot: { readonly name: string };
}

export type Welcome =
  | {
      readonly ok: true;
      /** -> plain text, empty when the template says nothing for this data */
      render(data: WelcomeData): string;
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

/** Custom properties by their name: {{user.properties.plan}}. */
const viewOf = ({ user, ...rest }: WelcomeData) =>
  speakable({
    ...rest,
    user: user && {
      ...user,
      properties: Object.fromEntries((user.properties ?? []).map(({ name, value }) => [name, value])),
    },
  });

const cut = (text: string): string => {
  const characters = [...text];
  return characters.length <= WELCOME_CHARACTERS ? text : `${characters.slice(0, WELCOME_CHARACTERS - 1).join("")}…`;
};

/**
 * Reads the admin's template: strict about its syntax, lenient about what isn't known of a customer.
 * A message is plain text, so nothing is escaped for HTML.
 */
export function readWelcome(template: string): Welcome {
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
        cut(render(viewOf(data), { allowProtoPropertiesByDefault: false, allowProtoMethodsByDefault: false })).trim(),
    };
  } catch (error) {
    return { ok: false, problem: problemOf(error) };
  }
}
