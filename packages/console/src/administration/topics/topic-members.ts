import { languageName } from "../../i18n/format.ts";
import type { MessagePart } from "@parley/contract";
import type { Members } from "../entry-merge.ts";
import { topicMessages as texts } from "./messages.ts";
import { topicForm, type TopicText, type TopicValues } from "./topic-form.ts";
import { messagePartsOf, partRowsOf } from "./welcome-parts.ts";

/** Members of a text in one language: `de name`. */
const NAME = "name";
const WELCOME = "welcome";
const TYPE = "type";

type MessageType = TopicText["messageType"];

/** -> the members by which changes of a topic are merged: each language has its own */
export const topicMembersOf = ({ languages, ...values }: TopicValues): Members => ({
  ...values,
  ...Object.fromEntries(
    languages.flatMap(({ locale, name, rows, messageType }): [string, unknown][] => [
      [`${locale} ${NAME}`, name],
      [`${locale} ${WELCOME}`, messagePartsOf(rows)],
      [`${locale} ${TYPE}`, messageType],
    ]),
  ),
});

/** The way back. @shape primary: the primary language, which comes first */
export const valuesOfMembers = (members: Members, primary: string): TopicValues => {
  const locales = Object.keys(members).flatMap((member) => /^(\S+) (?:name|welcome)$/.exec(member)?.[1] ?? []);
  const languages = [...new Set([primary, ...locales])].map((locale): TopicText => ({
    locale,
    name: (members[`${locale} ${NAME}`] as string | undefined) ?? "",
    rows: partRowsOf((members[`${locale} ${WELCOME}`] as readonly MessagePart[] | undefined) ?? []),
    messageType: members[`${locale} ${TYPE}`] as MessageType,
    isUploading: false,
  }));
  const { enabled, public: isPublic, tags, newTag, icon } = members as unknown as TopicValues;
  return { languages, enabled, public: isPublic, tags, newTag, icon };
};

/** -> the name of a member for people */
export const memberLabel = (member: string): string => {
  const [locale = "", kind] = member.split(" ");
  if (kind === undefined) return topicForm("", []).members[member as keyof TopicValues].label;
  return `${languageName(locale)}: ${kind === NAME ? texts.name : texts.welcome}`;
};
