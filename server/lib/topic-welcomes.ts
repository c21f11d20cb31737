import type { Associations } from "@parley/contract";
import { normalizeName, listNames, settingLinesOf, type SettingLineProblem } from "./setting-lines.ts";
import { parseMessageTemplate } from "./template.ts";

/**
 * Whether Concierge writes in a topic.
 * A topic that the admin has named counts even if it is private or disabled on the web messenger.
 */
export const isTopicEnabled = (channel: NonNullable<Associations["channel"]>, topics: readonly string[]): boolean =>
  topics.length === 0
    ? channel.enabled !== false && channel.public !== false
    : topics.some((name) => normalizeName(name) === normalizeName(channel.name));

/** One line of the setting: the welcome message of a topic. */
interface TopicWelcome {
  readonly line: number;
  /** Name of a topic. */
  readonly topic: string;
  /** A valid template. */
  readonly welcome: string;
}

const ARROW = "=>";
const LINE_FORMAT = 'write "Topic => message".';

/** Splits at the first arrow, since the message may contain another arrow. */
const parseWelcomeLine = (line: number, text: string): TopicWelcome | SettingLineProblem => {
  const at = text.indexOf(ARROW);
  const topic = text.slice(0, Math.max(at, 0)).trim();
  const welcome = text.slice(at + ARROW.length).trim();
  if (!topic || !welcome) return { line, message: LINE_FORMAT };
  const template = parseMessageTemplate(welcome);
  return template.ok ? { line, topic, welcome } : { line, message: template.problem.message };
};

/** Parses the welcome messages of topics. A line that can't be parsed is reported and ignored; the other lines remain valid. */
export function parseTopicWelcomes(setting: string): {
  readonly welcomes: readonly TopicWelcome[];
  readonly problems: SettingLineProblem[];
} {
  const welcomes: TopicWelcome[] = [];
  const problems: SettingLineProblem[] = [];
  for (const { line, text } of settingLinesOf(setting)) {
    const welcome = parseWelcomeLine(line, text);
    const first = "topic" in welcome ? findTopicWelcome(welcomes, welcome.topic) : undefined;
    if ("message" in welcome) problems.push(welcome);
    else if (first) problems.push({ line, message: `line ${first.line} is of the topic "${welcome.topic}" already.` });
    else welcomes.push(welcome);
  }
  return { welcomes, problems };
}

/** Returns the message for a topic, if it has its own. */
export const findTopicWelcome = (welcomes: readonly TopicWelcome[], topic: string): TopicWelcome | undefined =>
  welcomes.find((one) => normalizeName(one.topic) === normalizeName(topic));

/** Reports topics that don't exist in the account. */
export const unknownTopics = (welcomes: readonly TopicWelcome[], topics: readonly string[]): SettingLineProblem[] => {
  const knownTopics = new Set(topics.map(normalizeName));
  return welcomes
    .filter(({ topic }) => !knownTopics.has(normalizeName(topic)))
    .map(({ line, topic }) => ({ line, message: `the account has no topic "${topic}". It has ${listNames(topics)}.` }));
};
