import type { HostedApp, Message, MessagePart } from "@parley/contract";
import { adminKeyOf } from "../admin/connect.ts";
import { controlCalls } from "../control/calls.ts";
import { printable } from "../output/table.ts";
import type { AppPlace, FoundInstance } from "../instance/instance.ts";
import { styleText } from "node:util";
import { choicesOf, type ChatChoice } from "./conversation.ts";

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
const senderOf = ({ actor_type, meta_data }: Message): string => {
  const name = meta_data?.["bot_name"];
  if (actor_type === "bot") return typeof name === "string" && name !== "" ? name : "Bot";
  return actor_type === "agent" ? "Agent" : "System";
};

const NUMBER = /^\d{1,2}$/;

/** Whether a number stands for a place in the list: not where a label is a number itself, as points are. */
const areNumbered = (choices: readonly ChatChoice[]): boolean => !choices.some(({ label }) => NUMBER.test(label));

/** The choice that a typed line stands for: by its label, or by its number where choices are numbered. */
export const chosenReply = (line: string, choices: readonly ChatChoice[]): ChatChoice | undefined =>
  choices.find(({ label }) => label.toLowerCase() === line.toLowerCase()) ??
  (NUMBER.test(line) && areNumbered(choices) ? choices[Number(line) - 1] : undefined);

/** A message as lines of a terminal, its choices numbered; with a dash where they are numbers themselves. */
export const transcript = (message: Message): { text: string; choices: ChatChoice[] } => {
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
export const answerLine = ({ text }: ChatChoice): string => styleText("dim", `  → ${printable(text)}`);

/** An app of the instance, and whether it is installed now; undefined where its host does not say. */
interface AppState {
  readonly place: AppPlace;
  readonly isInstalled: boolean | undefined;
}

const stateOf = async (place: AppPlace, key: string): Promise<AppState> => {
  const hosted: HostedApp | undefined = await controlCalls(place.app, key)
    .app()
    .catch(() => undefined);
  return { place, isInstalled: hosted && hosted.account !== undefined };
};

const statesOf = async (instance: FoundInstance): Promise<AppState[]> => {
  const key = await adminKeyOf(instance.folder).catch(() => undefined);
  if (key === undefined) return (instance.apps ?? []).map((place) => ({ place, isInstalled: undefined }));
  return Promise.all((instance.apps ?? []).map((place) => stateOf(place, key)));
};

/**
 * Why nobody answers a customer, and what to do next: one or two sentences.
 * @param instance undefined for a service that was named by its address
 */
export async function silenceReason(instance: FoundInstance | undefined): Promise<string> {
  if (!instance)
    return "Is an app installed there that greets in this channel? Its installation page and log are on that instance.";
  const states = await statesOf(instance);
  if (states.length === 0)
    return "No app runs on this instance: it serves the API alone. Start one with 'parley run' in an app's folder, or answer as an agent by the API.";
  const waiting = states.filter(({ isInstalled }) => isInstalled === false);
  if (waiting.length === states.length) {
    const pages = waiting.map(({ place }) => `${printable(place.name)} on ${place.installPage}`);
    return `No app is installed. Install ${pages.join(", or ")}, then write again.`;
  }
  const names = states.filter(({ isInstalled }) => isInstalled !== false).map(({ place }) => printable(place.name));
  return `${names.join(", ")} is installed and has not answered: see what it did with 'parley logs', and whether its settings leave this channel out.`;
}
