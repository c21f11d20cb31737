import type { Message, MessagePart } from "@parley/contract";
import { styleText } from "node:util";
import { printable } from "../printable.ts";
import { choicesOf, type Choice } from "./conversation.ts";

const lineOf = (part: MessagePart): string => {
  if (part.text) return part.text.content;
  if (part.image) return `[image] ${part.image.url}`;
  if (part.video) return `[video] ${part.video.url}`;
  if (part.file) return `[file] ${part.file.name ?? ""} ${part.file.url}`;
  if (part.url_button) return `[${part.url_button.label}] ${part.url_button.url}`;
  if (part.collection) return part.collection.sub_parts.map(lineOf).join("\n");
  return "";
};

/** The name that a message carries, else what kind of sender it has. */
export const senderOf = ({ actor_type, meta_data }: Message): string => {
  const name = meta_data?.["bot_name"];
  if (actor_type === "bot") return typeof name === "string" && name !== "" ? name : "Bot";
  return actor_type === "agent" ? "Agent" : "System";
};

const NUMBER = /^\d{1,2}$/;

/** Whether a number stands for a place in the list: not where a label is a number itself, as points are. */
const areNumbered = (choices: readonly Choice[]): boolean => !choices.some(({ label }) => NUMBER.test(label));

/** The choice that a typed line stands for: by its label, or by its number where choices are numbered. */
export const chosen = (line: string, choices: readonly Choice[]): Choice | undefined =>
  choices.find(({ label }) => label.toLowerCase() === line.toLowerCase()) ??
  (NUMBER.test(line) && areNumbered(choices) ? choices[Number(line) - 1] : undefined);

/** A message as lines of a terminal, its choices numbered; with a dash where they are numbers themselves. */
export const transcript = (message: Message): { text: string; choices: Choice[] } => {
  const choices = choicesOf(message);
  const said = message.message_parts.map(lineOf).filter(Boolean).join("\n").split("\n");
  const [first = "", ...rest] = said.map(printable);
  const name = `${printable(senderOf(message))}:`;
  const indent = " ".repeat(2);
  return {
    text: [
      `${styleText("bold", name)} ${first}`,
      ...rest.map((line) => `${indent}${line}`),
      ...choices.map(({ label }, index) => {
        const mark = areNumbered(choices) ? `${index + 1})` : "-";
        return `${indent}${styleText("cyan", mark)} ${printable(label)}`;
      }),
    ].join("\n"),
    choices,
  };
};

/** What a chosen number stands for. */
export const answerLine = ({ text }: Choice): string => styleText("dim", `  → ${printable(text)}`);
