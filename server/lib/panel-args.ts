import type { Agent } from "@parley/contract";
import { AccountRefusal } from "./account-refusal.ts";

/** Arguments from the page; their types are not guaranteed. */
export type PanelArguments = Readonly<Record<string, unknown>>;

/** Ids become part of a URL. */
const ID = /^[\w-]{1,64}$/;
const NAME_CHARACTERS = 100;

const idFrom = (value: unknown, name: string): string => {
  if (typeof value === "string" && ID.test(value)) return value;
  throw new AccountRefusal(400, `${name} must be an id.`);
};

/** @errors AccountRefusal */
export const idArgument = (args: PanelArguments, name: string): string => idFrom(args[name], name);

/** @errors AccountRefusal if it is absent, empty or too long */
export const textArgument = (args: PanelArguments, name: string, most = NAME_CHARACTERS): string => {
  const value = args[name];
  if (typeof value === "string" && value !== "" && value.length <= most) return value;
  throw new AccountRefusal(400, `${name} must be a text of at most ${most} characters.`);
};

/** @errors AccountRefusal */
export const timeArgument = (args: PanelArguments, name: string): Date => {
  const value = args[name];
  const time = new Date(typeof value === "string" ? value : Number.NaN);
  if (!Number.isNaN(time.getTime())) return time;
  throw new AccountRefusal(400, `${name} must be a time such as 2027-03-02T09:00:00.000Z.`);
};

/** The agent who uses the panel. */
export type PanelAgent = Pick<Agent, "id" | "first_name" | "last_name">;

/** Returns the agent of the arguments. A name that is not a text counts as absent. @errors AccountRefusal */
export const agentArgument = (args: PanelArguments): PanelAgent => {
  const given = (args["agent"] ?? {}) as PanelArguments;
  const name = (key: "first_name" | "last_name") => {
    const value = given[key];
    return typeof value === "string" && value ? { [key]: value.slice(0, NAME_CHARACTERS) } : {};
  };
  return { id: idFrom(given["id"], "agent.id"), ...name("first_name"), ...name("last_name") };
};

/** -> "an agent" for an agent without a name */
export const nameOfAgent = ({ first_name, last_name }: PanelAgent): string =>
  [first_name, last_name].filter(Boolean).join(" ") || "an agent";
