import { normalizeName, settingLinesOf, type SettingLineProblem } from "./setting-lines.ts";
import { parseMessageTemplate } from "./template.ts";

/** One line of the setting: the label that the agent chooses, and the text that is sent. */
export interface ReplyTemplateLine {
  readonly line: number;
  readonly name: string;
  /** A template with the customer's data: see `templateViewOf`. */
  readonly text: string;
}

/** Agents can't survey a longer list, even with a filter. */
export const REPLY_TEMPLATE_LINES_MAX = 50;
const NAME_CHARACTERS = 80;
const LINE_FORMAT = 'write "Name => text".';

const parseReplyLine = (line: number, lineText: string): ReplyTemplateLine | SettingLineProblem => {
  const arrow = lineText.indexOf("=>");
  const name = lineText.slice(0, Math.max(arrow, 0)).trim();
  const text = lineText.slice(arrow + 2).trim();
  if (arrow < 0 || !name || !text) return { line, message: LINE_FORMAT };
  if (name.length > NAME_CHARACTERS) return { line, message: `the name has more than ${NAME_CHARACTERS} characters.` };
  const template = parseMessageTemplate(text);
  return template.ok ? { line, name, text } : { line, message: template.problem.message };
};

/** Parses the replies for agents. A line that can't be parsed is reported and ignored; the other lines remain valid. */
export function parseReplyTemplates(setting: string): {
  readonly templates: readonly ReplyTemplateLine[];
  readonly problems: readonly SettingLineProblem[];
} {
  const templates: ReplyTemplateLine[] = [];
  const problems: SettingLineProblem[] = [];
  const taken = new Map<string, number>();
  for (const { line, text } of settingLinesOf(setting)) {
    const reply = parseReplyLine(line, text);
    const first = "name" in reply ? taken.get(normalizeName(reply.name)) : undefined;
    if ("message" in reply) problems.push(reply);
    else if (first !== undefined)
      problems.push({ line, message: `"${reply.name}" is the name of line ${first} already.` });
    else if (templates.length === REPLY_TEMPLATE_LINES_MAX)
      problems.push({ line, message: `there are at most ${REPLY_TEMPLATE_LINES_MAX} replies.` });
    else {
      taken.set(normalizeName(reply.name), line);
      templates.push(reply);
    }
  }
  return { templates, problems };
}

export const findReplyTemplate = (
  templates: readonly ReplyTemplateLine[],
  name: string,
): ReplyTemplateLine | undefined => templates.find((one) => normalizeName(one.name) === normalizeName(name));
