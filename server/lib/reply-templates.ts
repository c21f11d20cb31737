import { alike, linesOf, type SettingLineProblem } from "./setting-lines.ts";
import { readTemplate } from "./template.ts";

/** One line of the setting: what the agent chooses, and what is written then. */
export interface ReplyTemplate {
  readonly line: number;
  readonly name: string;
  /** A template over the customer: see viewOf. */
  readonly text: string;
}

/** More than an agent finds, even with a filter. */
export const MAX_REPLY_TEMPLATES = 50;
const NAME_CHARACTERS = 80;
const FORM = 'write "Name => text".';

const read = (line: number, written: string): ReplyTemplate | SettingLineProblem => {
  const arrow = written.indexOf("=>");
  const name = written.slice(0, Math.max(arrow, 0)).trim();
  const text = written.slice(arrow + 2).trim();
  if (arrow < 0 || !name || !text) return { line, message: FORM };
  if (name.length > NAME_CHARACTERS) return { line, message: `the name has more than ${NAME_CHARACTERS} characters.` };
  const template = readTemplate(text);
  return template.ok ? { line, name, text } : { line, message: template.problem.message };
};

/** Reads the replies for agents; a line that can't be read is a problem and no reply, the other lines still count. */
export function parseReplyTemplates(setting: string): {
  readonly templates: readonly ReplyTemplate[];
  readonly problems: readonly SettingLineProblem[];
} {
  const templates: ReplyTemplate[] = [];
  const problems: SettingLineProblem[] = [];
  const taken = new Map<string, number>();
  for (const { line, text } of linesOf(setting)) {
    const reply = read(line, text);
    const first = "name" in reply ? taken.get(alike(reply.name)) : undefined;
    if ("message" in reply) problems.push(reply);
    else if (first !== undefined)
      problems.push({ line, message: `"${reply.name}" is the name of line ${first} already.` });
    else if (templates.length === MAX_REPLY_TEMPLATES)
      problems.push({ line, message: `there are at most ${MAX_REPLY_TEMPLATES} replies.` });
    else {
      taken.set(alike(reply.name), line);
      templates.push(reply);
    }
  }
  return { templates, problems };
}

export const replyOf = (templates: readonly ReplyTemplate[], name: string): ReplyTemplate | undefined =>
  templates.find((one) => alike(one.name) === alike(name));
