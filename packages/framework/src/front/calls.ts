import type { FrontAnswer, FrontCall, FrontQuestion, IparamsConfig, Manifest, SessionAgent } from "@parley/contract";
import { failureText, type Log } from "@parley/telemetry";
import type { Entities } from "../runtime/host-api/entities.ts";
import { unknownIparamMessage, secureIparamMessage } from "../model/iparams/iparam-terms.ts";
import type { Installation, Installations } from "../state/installations.ts";
import type { Project } from "../model/project.ts";
import type { AppJobs } from "../runtime/host-api/jobs.ts";
import { AppRefused, refuseCall } from "../model/app-refused.ts";
import { RequestRejected, type HostRequestMethod } from "../request/request-method.ts";
import type { AppCalls } from "../runtime/calls/app-calls.ts";
import type { Records } from "../runtime/host-api/records.ts";
import { conversationsWithin, type ReachedConversations } from "./conversation-scope.ts";
import { type ConversationSource, findAgent } from "./conversation-source.ts";
import { ServiceRefused } from "./service.ts";
import { currentHost } from "../runtime/calls/payload.ts";

/** Present context of the calling page. */
interface PageContext {
  readonly conversation?: string | undefined;
  /** Id of the acting agent. */
  readonly agent?: string | undefined;
  /** Present where pages need a session. */
  readonly signedIn?: SessionAgent | undefined;
}

interface ClientDataDeps {
  readonly conversations: ReachedConversations;
  readonly manifest: () => Manifest;
}

/** The signed-in agent, if the list of agents lacks it. */
const agentOfSession = ({ agent_id, email, first_name, last_name, role_id, groups }: SessionAgent) => ({
  id: agent_id,
  email,
  ...(first_name !== undefined && { first_name }),
  ...(last_name !== undefined && { last_name }),
  role_id,
  groups,
});

const NO_CONVERSATION = "No conversation is open: choose one in the list.";

/**
 * Objects of `client.data.get(name)`, one row per name: each returns an object with the name as its only member.
 * @assumed `conversation` is the service's object with its latest messages, its user and the participating agents; `loggedInUser`
 * is a synonym of `loggedInAgent`: the agent of the session, or the agent that is chosen on the page where no sign-in is needed; `agent` is the
 * assigned agent.
 */
const clientDataSources = (
  { conversations, manifest }: ClientDataDeps,
  context: PageContext,
  { domain }: Installation,
) => {
  const openConversation = async () => {
    const found = context.conversation === undefined ? undefined : await conversations.open(context.conversation);
    if (!found) refuseCall(404, NO_CONVERSATION);
    return found;
  };
  const loggedInAgent = async (): Promise<object> => {
    const { signedIn } = context;
    if (signedIn)
      return (await conversations.agents()).find(({ id }) => id === signedIn.agent_id) ?? agentOfSession(signedIn);
    const agent = findAgent(await conversations.agents(), context.agent);
    if (!agent) refuseCall(404, "The account has no agent.");
    return agent;
  };
  return new Map<string, () => Promise<unknown>>([
    ["loggedInAgent", loggedInAgent],
    ["loggedInUser", loggedInAgent],
    [
      "user",
      async () => {
        const { user } = await openConversation();
        if (!user) refuseCall(404, "The user of this conversation is not there any more.");
        return user;
      },
    ],
    [
      "conversation",
      async () => {
        const { conversation, messages, user, agents } = await openConversation();
        return { ...conversation, messages, users: user ? [user] : [], agents };
      },
    ],
    [
      "agent",
      async () => {
        const { conversation, agents } = await openConversation();
        const agent = agents.find(({ id }) => id === conversation.assigned_agent_id);
        if (!agent) refuseCall(404, "The conversation is assigned to nobody.");
        return agent;
      },
    ],
    ["currentHost", async () => currentHost(manifest(), domain)],
    ["domainName", async () => domain],
  ]);
};

/** @errors AppRefused for an unknown name; ServiceRefused */
const clientData = async (deps: ClientDataDeps, name: string, context: PageContext, installation: Installation) => {
  const sources = clientDataSources(deps, context, installation);
  const source = sources.get(name);
  if (!source)
    refuseCall(404, `client.data.get: '${name}' is not known here; known are ${[...sources.keys()].join(", ")}.`);
  return { [name]: await source() };
};

export interface FrontCallsDeps {
  readonly project: () => Project;
  readonly installations: Pick<Installations, "find">;
  readonly requests: HostRequestMethod;
  readonly recordsOf: (account: string) => Records;
  readonly entitiesOf: (account: string) => Entities;
  readonly jobs: Pick<AppJobs, "invoke" | "get">;
  readonly calls: Pick<AppCalls, "invokeFunction">;
  readonly conversations: ConversationSource;
  readonly log: Log;
}

export const PAUSED_MESSAGE = "The app is paused: an admin of the account can resume it.";
export const NOT_INSTALLED_MESSAGE = "The app is not installed: open its installation page, /custom_configs.";

/** @assumed a single value is returned in an object under its key, as public apps read it */
const iparamsOf = (iparams: IparamsConfig, { values, secure }: Installation, key: string | undefined) => {
  const open = Object.fromEntries(Object.entries(values).filter(([name]) => iparams[name]?.secure !== true));
  if (key === undefined) return open;
  if ((Object.hasOwn(iparams, key) && iparams[key]?.secure === true) || secure.has(key))
    refuseCall(400, secureIparamMessage(key));
  if (!Object.hasOwn(iparams, key) && !Object.hasOwn(open, key)) refuseCall(404, unknownIparamMessage(key));
  return { [key]: open[key] };
};

type Source<Of extends FrontQuestion["of"]> = (
  question: Extract<FrontQuestion, { of: Of }>,
  installation: Installation,
  context: PageContext,
) => Promise<unknown>;

/** One row per kind of call. */
const sourcesOf = ({ project, requests, recordsOf, entitiesOf, jobs, calls, conversations }: FrontCallsDeps) => {
  const callerOf = (installation: Installation, { agent }: PageContext) => ({
    origin: "app" as const,
    installation,
    agent,
  });
  const sources: { readonly [Of in FrontQuestion["of"]]: Source<Of> } = {
    "data.get": ({ name }, installation, context) =>
      clientData(
        { conversations: conversationsWithin(conversations, context.signedIn), manifest: () => project().manifest },
        name,
        context,
        installation,
      ),
    "iparams.get": async ({ key }, installation) => iparamsOf(project().iparams, installation, key),
    "db.get": ({ key }, { account }) => recordsOf(account).get(key),
    "db.set": ({ key, value, options }, { account }) => recordsOf(account).set(key, value, options),
    "db.update": ({ key, action, attributes }, { account }) => recordsOf(account).update(key, action, attributes),
    "db.delete": ({ key }, { account }) => recordsOf(account).delete(key),
    entity: ({ entity, action, args }, { account }) => entitiesOf(account).call(entity, action, args),
    "job.invoke": ({ name, tag, args }, installation) => jobs.invoke(installation, name, tag, args),
    "job.get": ({ id }, { account }) => jobs.get(account, id),
    "request.invokeTemplate": ({ name, options }, installation, context) =>
      requests.invokeTemplate({ ...callerOf(installation, context), name, options }),
    "request.fetch": ({ method, url, options }, installation, context) =>
      requests.fetch({ ...callerOf(installation, context), method, url, options }),
    "request.invoke": async ({ name, args }, installation) => {
      const outcome = await calls.invokeFunction(name, args, installation);
      // The app receives all members of the failure.
      if (!outcome.ok) refuseCall(outcome.failure.status, outcome.failure.message, { ...outcome.failure });
      return { requestID: outcome.requestID, response: outcome.response };
    },
  };
  return sources;
};

/** Answers the calls of an app's frames. A failure has the members with which the app's promise rejects. */
export const frontCalls = (deps: FrontCallsDeps) => {
  const sources = sourcesOf(deps);

  const valueOf = async ({ question, ...asked }: FrontCall, signedIn: SessionAgent | undefined): Promise<unknown> => {
    const context = signedIn ? { ...asked, agent: signedIn.agent_id, signedIn } : asked;
    const installation = await deps.installations.find();
    if (!installation) refuseCall(403, NOT_INSTALLED_MESSAGE);
    if (installation.state === "paused") refuseCall(403, PAUSED_MESSAGE);
    const source = sources[question.of];
    return source(question as never, installation, context);
  };

  return async (call: FrontCall, signedIn: SessionAgent | undefined): Promise<FrontAnswer> => {
    try {
      return { value: (await valueOf(call, signedIn)) ?? null };
    } catch (error) {
      if (error instanceof RequestRejected) return { failure: { message: error.message, ...error.failure } };
      if (error instanceof AppRefused)
        return { failure: { ...error.details, status: error.status, message: error.message } };
      if (error instanceof ServiceRefused) return { failure: { status: error.status, message: error.message } };
      deps.log(`A call of the app's page (${call.question.of}) failed in the host: ${failureText(error)}`, {
        level: "error",
      });
      return { failure: { status: 500, message: "The host could not answer; its log says why." } };
    }
  };
};
