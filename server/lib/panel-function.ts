import type { Agent } from "@parley/contract";
import { RequestRefusedError, PostponedError } from "./errors.ts";
import type { FunctionPayload, KeyValueStore, RenderedError, RequestMethod } from "@parley/framework/sdk";
import { createAccountClient, type AccountClient } from "./account-client.ts";
import type { RequestLimits } from "./account-requests.ts";
import { settingsOf, settingText, type Settings } from "./settings.ts";
import type { WriteLog } from "./use-case.ts";

/** Arguments from the page; their types are not guaranteed. */
export type PanelArguments = Readonly<Record<string, unknown>>;

/** Ids become part of a URL. */
const ID = /^[\w-]{1,64}$/;
const NAME_CHARACTERS = 100;

const idFrom = (value: unknown, name: string): string => {
  if (typeof value === "string" && ID.test(value)) return value;
  throw new RequestRefusedError(400, `${name} must be an id.`);
};

/** @errors RequestRefusedError */
export const idArgument = (args: PanelArguments, name: string): string => idFrom(args[name], name);

/** @errors RequestRefusedError if it is absent, empty or too long */
export const textArgument = (args: PanelArguments, name: string, characters = NAME_CHARACTERS): string => {
  const value = args[name];
  if (typeof value === "string" && value !== "" && value.length <= characters) return value;
  throw new RequestRefusedError(400, `${name} must be a text of at most ${characters} characters.`);
};

/** @errors RequestRefusedError */
export const timeArgument = (args: PanelArguments, name: string): Date => {
  const value = args[name];
  const time = new Date(typeof value === "string" ? value : Number.NaN);
  if (!Number.isNaN(time.getTime())) return time;
  throw new RequestRefusedError(400, `${name} must be a time such as 2027-03-02T09:00:00.000Z.`);
};

/** The agent who uses the panel. */
export type PanelAgent = Pick<Agent, "id" | "first_name" | "last_name">;

/** Returns the agent of the arguments. A name that is not a text counts as absent. @errors RequestRefusedError */
export const agentArgument = (args: PanelArguments): PanelAgent => {
  const agent = (args["agent"] ?? {}) as PanelArguments;
  const name = (key: "first_name" | "last_name") => {
    const value = agent[key];
    return typeof value === "string" && value ? { [key]: value.slice(0, NAME_CHARACTERS) } : {};
  };
  return { id: idFrom(agent["id"], "agent.id"), ...name("first_name"), ...name("last_name") };
};

/** -> "an agent" for an agent without a name */
export const nameOfAgent = ({ first_name, last_name }: PanelAgent): string =>
  [first_name, last_name].filter(Boolean).join(" ") || "an agent";

/** Dependencies of a function of the agent's panel. */
export interface PanelDeps {
  readonly account: AccountClient;
  readonly db: KeyValueStore;
  readonly settings: Settings;
  /** Domain of the account, such as acme.parley.localhost. */
  readonly domain: string;
}

/** A function of the panel. @errors RequestRefusedError with a sentence for the agent; PostponedError */
export type PanelFunction<Answer extends object> = (args: PanelArguments, deps: PanelDeps) => Promise<Answer>;

interface PanelClients {
  readonly request: RequestMethod;
  readonly db: KeyValueStore;
  readonly log: Pick<WriteLog, "error">;
  readonly render: (error: RenderedError | null, data?: unknown) => void;
}

/** An agent waits for the result, so the time limit is longer than that of an event's handler, and no calls are reserved. */
const PANEL_LIMITS: RequestLimits = { calls: 60, milliseconds: 8_000, reserve: 0 };

const waitText = (seconds: number): string =>
  seconds < 90 ? "in about a minute" : `in about ${Math.ceil(seconds / 60)} minutes`;

/** A function of the panel is not resumed later, so the agent gets the reason. */
export const refusalOfPostponed = ({ cause, seconds }: PostponedError): RequestRefusedError => {
  switch (cause) {
    case "slow":
      return new RequestRefusedError(504, "The messaging service is slow at the moment.");
    case "allowance":
      return new RequestRefusedError(
        429,
        `The account's calls of this hour are used up. It goes on ${waitText(seconds)}.`,
      );
    case "calls":
      return new RequestRefusedError(500, "This takes more calls than Concierge may make at once.");
    case "unreachable":
      return new RequestRefusedError(503, "The messaging service can't be reached at the moment.");
    case "refused":
      return new RequestRefusedError(
        403,
        "The messaging service refuses Concierge's API key. An admin can save a valid one on the installation page.",
      );
    case "conflict":
      return new RequestRefusedError(
        409,
        "Somebody else changes this at the same moment: look again, then try once more.",
      );
    default:
      return new RequestRefusedError(503, "This can't be done at the moment.");
  }
};

const refusalOfError = (error: unknown, log: PanelClients["log"]): RequestRefusedError => {
  if (error instanceof RequestRefusedError) return error;
  if (error instanceof PostponedError) return refusalOfPostponed(error);
  log.error(`Agent panel request failed: ${error instanceof Error ? error.message : String(error)}`);
  return new RequestRefusedError(500, "Concierge has failed at this; its log says why.");
};

/** Converts functions of the panel to functions of the manifest. */
export const createPanelHandler =
  (clients: () => PanelClients) =>
  <Answer extends object>(panelFunction: PanelFunction<Answer>) =>
  async ({ iparams, currentHost: _currentHost, ...args }: FunctionPayload): Promise<void> => {
    const { request, db, log, render } = clients();
    try {
      const settings = settingsOf(iparams);
      const domain = settingText(iparams["domain"]);
      render(
        null,
        await panelFunction(args, { account: createAccountClient(request, PANEL_LIMITS), db, settings, domain }),
      );
    } catch (error) {
      const { status, message } = refusalOfError(error, log);
      render({ status, message });
    }
  };
