import {
  type FrontModel,
  type FrontPlace,
  type FrontState,
  FrontContext,
  FrontCall,
  FrontChange,
  FrontMessage,
  schemaErrors,
  PRODUCTS,
  type FrontOutcome,
  type SessionAgent,
} from "@parley/contract";
import Handlebars from "handlebars";
import { sourceText, builtText } from "../environment/assets.ts";
import type { Installations } from "../state/installations.ts";
import { findingLine } from "../model/finding.ts";
import type { NewestProject } from "../package/live-project.ts";
import { signedInAgentOf } from "../identity/page-session.ts";
import { conversationsWithin, type ReachedConversations } from "./conversation-scope.ts";
import { personName, type ConversationSource } from "./conversation-source.ts";
import type { PageScripts } from "../pages/files.ts";
import { manifestPlaces } from "./places.ts";
import { ServiceRefused } from "./service.ts";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { Compile } from "typebox/compile";
import { pageGuard, createPageTokens, PAGE_HEADERS } from "../pages/page-guard.ts";
import { appTitle } from "../model/project.ts";
import { frontCalls, type FrontCallsDeps } from "./calls.ts";
import { embedPage } from "./embed.ts";
import { CLIENT, OWN_AGENT_CLUSTER, PROBE, type SiteAddress } from "../pages/origin.ts";

/** Initial data of the page. */
interface FrontView {
  readonly model: FrontModel;
  /** Origin under which the page is same-site with the app's frames. */
  readonly pageOrigin: string;
  /** Origin of the app's frames. */
  readonly frames: string;
  readonly description: string;
  readonly state: FrontState;
}

const optionOf = ({ id, label, module, kind }: FrontPlace) => ({
  id,
  label: `${label}${kind === "background" ? " (runs unseen)" : ""}`,
  module,
});

const templateView = ({ model, pageOrigin, frames, description, state }: FrontView) => ({
  title: model.app,
  initial: model.app.charAt(0),
  description,
  account: state.installed?.account ?? "",
  model: JSON.stringify(model),
  pageOrigin,
  frames,
  places: model.places.map(optionOf),
  hasPlaces: model.places.length > 0,
  state: JSON.stringify(state),
  errors: state.errors,
});

/** Reads and compiles the page template. A name that the view model lacks is an error, and all text is escaped. */
const loadFrontViews = async () => {
  const page = Handlebars.create().compile<ReturnType<typeof templateView>>(
    await sourceText("front/views/agent-page.hbs"),
    {
      strict: true,
      knownHelpersOnly: true,
    },
  );
  return {
    page: (view: FrontView): string => page(templateView(view)),
    style: (await Promise.all(["frames", "agent-page"].map((name) => sourceText(`front/views/${name}.css`)))).join(
      "\n",
    ),
  };
};

interface FrontStateDeps {
  readonly newest: () => NewestProject;
  readonly installations: Pick<Installations, "find">;
  readonly conversations: ConversationSource;
  readonly scripts: Pick<PageScripts, "findings">;
}

/** An error of the service replaces the conversations; all other parts of the state are sent. */
const conversationsOf = async (source: ReachedConversations, { conversation }: FrontContext) => {
  try {
    const [conversations, agents, open] = await Promise.all([
      source.recent(),
      source.agents(),
      conversation === undefined ? undefined : source.open(conversation),
    ]);
    const named = agents.map((agent) => ({ id: agent.id, name: personName(agent) }));
    return { conversations, agents: named, ...(open ? { open } : {}) };
  } catch (error) {
    if (error instanceof ServiceRefused) return { conversations: [], agents: [], problem: error.message };
    throw error;
  }
};

/** The present state for a page that shows a conversation. */
const frontState = async (
  { newest, installations, conversations: source, scripts }: FrontStateDeps,
  context: FrontContext,
  signedIn: SessionAgent | undefined,
): Promise<FrontState> => {
  const { project, findings } = newest();
  const [installation, conversations] = await Promise.all([
    installations.find(),
    conversationsOf(conversationsWithin(source, signedIn), context),
  ]);
  return {
    version: project.version,
    ...(installation ? { installed: { account: installation.account, saves: installation.version } } : {}),
    errors: [...findings, ...scripts.findings()].filter(({ level }) => level === "error").map(findingLine),
    ...conversations,
  };
};

interface AgentPageDeps extends FrontCallsDeps, FrontStateDeps {
  readonly site: SiteAddress;
  /** Unguessable token. */
  readonly pageSecret: () => string;
  /** Serves the page for the console; absent without such a page. `isLive`: the app is read from a folder. */
  readonly embedding?: { readonly isLive: boolean } | undefined;
}

const BODY_BYTES = 512 * 1024;

/** Content security policy of the page: connections to its own host, and the app's frames. */
const pagePolicy = (frameOrigin: string, frameSources: string) =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    `connect-src 'self' ${frameOrigin}`,
    "img-src 'self' data:",
    `frame-src ${frameSources}`,
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join("; ");

const outcomeOf = async (action: Promise<void>): Promise<FrontOutcome> => {
  try {
    await action;
    return { ok: true };
  } catch (error) {
    if (error instanceof ServiceRefused) return { ok: false, message: error.message };
    throw error;
  }
};

type Shape = Parameters<typeof schemaErrors>[0];

const validationMessage = (shape: Shape, body: unknown): string => {
  const [first] = schemaErrors(shape, body);
  return `This can't be asked: ${first?.pointer ?? ""} ${first?.message ?? "it has another shape"}`;
};

/** `GET /`: the page where agents see the app, and `/front`: its API, which only the page can call. */
export const agentPage = (app: FastifyInstance, deps: AgentPageDeps): void => {
  const tokens = createPageTokens(deps.pageSecret);
  const handleCall = frontCalls(deps);

  const checkToken = pageGuard({ issued: tokens, page: "host page" });
  const guard = async (request: FastifyRequest, reply: FastifyReply) =>
    checkToken(request, reply.headers(PAGE_HEADERS));

  const model = async (request: FastifyRequest): Promise<FrontModel> => {
    const signedIn = signedInAgentOf(request);
    const { project } = deps.newest();
    const domain = (await deps.installations.find())?.domain;
    return {
      token: tokens.issue(request.pageSession),
      ...(signedIn && { agent: { id: signedIn.agent_id, name: personName(signedIn) } }),
      app: appTitle(project.name),
      places: manifestPlaces(project.manifest),
      product: { name: PRODUCTS[0], url: domain === undefined ? "" : `https://${domain}` },
    };
  };

  void app.register(async (scope) => {
    const [views, pageScript, clientScript] = await Promise.all([
      loadFrontViews(),
      builtText("conversation-page.js"),
      builtText("client.js"),
    ]);
    scope.addHook("onRequest", guard);
    if (deps.embedding) {
      const version = () => deps.newest().project.version;
      await embedPage(scope, { ...deps, ...deps.embedding, version, model });
    }
    scope.get("/", async (request, reply) => {
      const { project } = deps.newest();
      const frames = deps.site.frameOrigin(request);
      const view = {
        model: await model(request),
        pageOrigin: deps.site.pageOrigin(request),
        frames,
        description: project.description,
        state: await frontState(deps, {}, signedInAgentOf(request)),
      };
      return reply
        .headers({
          ...OWN_AGENT_CLUSTER,
          "content-security-policy": pagePolicy(frames, deps.site.frameSources(request)),
          "cross-origin-opener-policy": "same-origin",
        })
        .type("text/html; charset=utf-8")
        .send(views.page(view));
    });
    const script = "text/javascript; charset=utf-8";
    scope.get("/front/page.css", async (_request, reply) => reply.type("text/css; charset=utf-8").send(views.style));
    scope.get("/front/page.js", async (_request, reply) => reply.type(script).send(pageScript));
    // Both are requested from another origin; neither reveals anything of this installation.
    scope.get(CLIENT, async (_request, reply) =>
      reply.header("access-control-allow-origin", "*").type(script).send(clientScript),
    );
    scope.get(PROBE, async (_request, reply) => reply.header("access-control-allow-origin", "*").code(204).send());

    /** Validated here: the framework's own validation would remove members that another branch of a union does not name. */
    const post = (
      path: string,
      shape: Shape,
      handle: (body: never, signedIn: SessionAgent | undefined) => Promise<unknown>,
    ) => {
      const check = Compile(shape);
      scope.post(path, { bodyLimit: BODY_BYTES }, async (request, reply) =>
        check.Check(request.body)
          ? handle(request.body as never, signedInAgentOf(request))
          : reply.code(400).send({ message: validationMessage(shape, request.body) }),
      );
    };
    const within = (signedIn: SessionAgent | undefined) => conversationsWithin(deps.conversations, signedIn);
    post("/front/look", FrontContext, (context: FrontContext, signedIn) => frontState(deps, context, signedIn));
    post("/front/call", FrontCall, handleCall);
    post("/front/send", FrontMessage, (message: FrontMessage, signedIn) => outcomeOf(within(signedIn).send(message)));
    post("/front/change", FrontChange, (change: FrontChange, signedIn) => outcomeOf(within(signedIn).change(change)));
  });
};
