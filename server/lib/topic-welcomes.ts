import type { Associations } from "@parley/contract";
import { alike, among, linesOf, type SettingLineProblem } from "./setting-lines.ts";
import { readTemplate } from "./template.ts";

/**
 * Tells whether Concierge speaks in a topic.
 * A topic that the admin has named counts even when it is private or switched off on the web messenger.
 */
export const isChosen = (channel: NonNullable<Associations["channel"]>, topics: readonly string[]): boolean =>
  topics.length === 0
    ? channel.enabled !== false && channel.public !== false
    : topics.some((name) => alike(name) === alike(channel.name));

/** One line of the setting: how customers are welcomed in a topic. */
export interface TopicWelcome {
  readonly line: number;
  /** Name of a topic. */
  readonly topic: string;
  /** A template that can be read. */
  readonly welcome: string;
}

const ARROW = "=>";
const FORM = 'write "Topic => message".';

/** The message may hold the arrow too: the first one parts the two. */
const read = (line: number, text: string): TopicWelcome | SettingLineProblem => {
  const at = text.indexOf(ARROW);
  const topic = text.slice(0, Math.max(at, 0)).trim();
  const welcome = text.slice(at + ARROW.length).trim();
  if (!topic || !welcome) return { line, message: FORM };
  const template = readTemplate(welcome);
  return template.ok ? { line, topic, welcome } : { line, message: template.problem.message };
};

/** Reads the welcome messages of single topics; a line that can't be read is a problem and no message, the other lines still count. */
export function parseTopicWelcomes(setting: string): {
  readonly welcomes: readonly TopicWelcome[];
  readonly problems: SettingLineProblem[];
} {
  const welcomes: TopicWelcome[] = [];
  const problems: SettingLineProblem[] = [];
  for (const { line, text } of linesOf(setting)) {
    const welcome = read(line, text);
    const first = "topic" in welcome ? welcomeOf(welcomes, welcome.topic) : undefined;
    if ("message" in welcome) problems.push(welcome);
    else if (first) problems.push({ line, message: `line ${first.line} is of the topic "${welcome.topic}" already.` });
    else welcomes.push(welcome);
  }
  return { welcomes, problems };
}

/** The message of a topic's own. */
export const welcomeOf = (welcomes: readonly TopicWelcome[], topic: string): TopicWelcome | undefined =>
  welcomes.find((one) => alike(one.topic) === alike(topic));

/** Messages whose topic isn't among those of the account. */
export const unknownTopics = (welcomes: readonly TopicWelcome[], topics: readonly string[]): SettingLineProblem[] => {
  const known = new Set(topics.map(alike));
  return welcomes
    .filter(({ topic }) => !known.has(alike(topic)))
    .map(({ line, topic }) => ({ line, message: `the account has no topic "${topic}". It has ${among(topics)}.` }));
};
