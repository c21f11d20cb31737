import {
  appInstallations,
  type HostedApp,
  type InstallationDetails,
  type Message,
  type MessagePart,
} from "@parley/contract";
import { adminKeyOf, createAdminCalls } from "../admin/admin-client.ts";
import { controlCalls } from "../control/control-client.ts";
import { printable } from "../output/table.ts";
import type { InstanceApp, FoundInstance } from "../instance/instance.ts";
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

/** Name of the bot that the message carries, or the kind of the sender. */
const senderOf = ({ actor_type, meta_data }: Message): string => {
  const name = meta_data?.["bot_name"];
  if (actor_type === "bot") return typeof name === "string" && name !== "" ? name : "Bot";
  return actor_type === "agent" ? "Agent" : "System";
};

const NUMBER = /^\d{1,2}$/;

/** Whether choices are listed with numbers: not if a label is a number itself, as in a rating. */
const areNumbered = (choices: readonly ChatChoice[]): boolean => !choices.some(({ label }) => NUMBER.test(label));

/** Finds the choice that an input line selects: by label, or by number when choices are numbered. */
export const chosenReply = (line: string, choices: readonly ChatChoice[]): ChatChoice | undefined =>
  choices.find(({ label }) => label.toLowerCase() === line.toLowerCase()) ??
  (NUMBER.test(line) && areNumbered(choices) ? choices[Number(line) - 1] : undefined);

/** Formats a message for the terminal. Choices are numbered, or marked with a dash when their labels are numbers. */
export const transcript = (message: Message): { text: string; choices: ChatChoice[] } => {
  const choices = choicesOf(message);
  const content = message.message_parts.map(lineOf).filter(Boolean).join("\n").split("\n");
  const [first = "", ...rest] = content.map(printable);
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

/** Echo of a choice that was selected by its number. */
export const answerLine = ({ text }: ChatChoice): string => styleText("dim", `  → ${printable(text)}`);

/** An app of the instance and whether it is installed; `isInstalled` is undefined when its host does not answer. */
interface AppState {
  readonly app: InstanceApp;
  readonly isInstalled: boolean | undefined;
}

const stateOf = async (app: InstanceApp, key: string): Promise<AppState> => {
  const hosted: HostedApp | undefined = await controlCalls(app.app, key)
    .app()
    .catch(() => undefined);
  return { app, isInstalled: hosted && hosted.account !== undefined };
};

const statesOf = async (instance: FoundInstance): Promise<AppState[]> => {
  const key = await adminKeyOf(instance.folder).catch(() => undefined);
  if (key === undefined) return (instance.apps ?? []).map((app) => ({ app, isInstalled: undefined }));
  return Promise.all((instance.apps ?? []).map((app) => stateOf(app, key)));
};

/** -> the published apps on the instance's account; undefined if the platform can't be asked */
const publishedOf = async ({
  folder,
  platform,
  account,
}: FoundInstance): Promise<InstallationDetails[] | undefined> => {
  const key = await adminKeyOf(folder).catch(() => undefined);
  if (platform === undefined || key === undefined || account === "") return undefined;
  const calls = createAdminCalls(appInstallations, new URL(platform).origin, key);
  return calls.listInstallations({ params: { account } }).then(
    ({ apps }) => apps,
    () => undefined,
  );
};

const publishedSilence = async (instance: FoundInstance): Promise<string> => {
  const account = instance.account === "" ? "<account>" : printable(instance.account);
  const apps = await publishedOf(instance);
  if (apps === undefined)
    return `'npx parley apps list --account ${account}' shows which apps are installed on the account. An app that replies in this channel has to be installed.`;
  if (apps.length === 0)
    return `No app is installed on ${account}. 'npx parley apps list' shows the published apps; install one with 'npx parley apps install <name> --account ${account}'.`;
  const running = apps.filter(({ state }) => state === "active");
  const [paused] = apps;
  if (running.length === 0 && paused)
    return `${apps.map(({ name }) => printable(name)).join(", ")} is paused. Resume it with 'npx parley apps resume ${printable(paused.name)} --account ${account}'.`;
  const names = running.map(({ name }) => printable(name)).join(", ");
  return `${names} is installed on ${account} and has not replied: check the log of the instance, and whether the app's settings exclude this channel.`;
};

/**
 * Explains in one or two sentences why a customer gets no reply, and what to do next.
 * @param instance undefined when the service was given by its URL
 */
export async function silenceReason(instance: FoundInstance | undefined): Promise<string> {
  if (!instance)
    return "Check on that instance that an app which replies in this channel is installed, and look at its log.";
  const states = await statesOf(instance);
  if (states.length === 0 && instance.platform !== undefined) return publishedSilence(instance);
  if (states.length === 0)
    return "No app runs on this instance: it serves the API only. Run 'npx parley run' in an app's folder, or reply as an agent through the API.";
  const notInstalled = states.filter(({ isInstalled }) => isInstalled === false);
  if (notInstalled.length === states.length) {
    const pages = notInstalled.map(({ app }) => `${printable(app.name)} on ${app.installPage}`);
    return `No app is installed. Install ${pages.join(", or ")}, then write again.`;
  }
  const names = states.filter(({ isInstalled }) => isInstalled !== false).map(({ app }) => printable(app.name));
  return `${names.join(", ")} is installed and has not replied: check its calls with 'npx parley logs', and whether its settings exclude this channel.`;
}
