import type { EmbedModel, FrontModel } from "@parley/contract";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import Handlebars from "handlebars";
import { builtText, sourceText } from "../environment/assets.ts";
import { signedInAgentOf } from "../identity/page-session.ts";
import type { Installations } from "../state/installations.ts";
import { PAUSED_MESSAGE, NOT_INSTALLED_MESSAGE } from "./calls.ts";
import { personName } from "./conversation-source.ts";
import { EMBED_ROUTES, OWN_AGENT_CLUSTER, type SiteAddress } from "../pages/origin.ts";

interface EmbedPageDeps {
  readonly site: SiteAddress;
  readonly installations: Pick<Installations, "find">;
  /** Version of the app's present files. */
  readonly version: () => string;
  /** The data of the page for agents. */
  readonly model: (request: FastifyRequest) => Promise<FrontModel>;
  /** Whether the app is read from a folder, whose changes the page shows within moments. */
  readonly isLive: boolean;
}

/** Intervals at which an active page asks for changes of the app. @units seconds */
const POLL_SECONDS = { live: 2, published: 60 };

/** Content security policy of the page: the console embeds it, and it embeds the app's frames. */
const embedPolicy = ({ consoleOrigins }: SiteAddress, frameOrigin: string): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    `frame-src ${frameOrigin}/app/`,
    "form-action 'none'",
    "base-uri 'none'",
    `frame-ancestors ${consoleOrigins.join(" ")}`,
  ].join("; ");

interface EmbedView {
  readonly frames: string;
  /** @shape origins, separated by spaces */
  readonly consoles: string;
  readonly pollSeconds: number;
}

/**
 * `GET /embed`: the page that the console embeds, the same for everybody; its script gets the rest from `GET /embed/model` with the session that
 * a ticket was exchanged for.
 */
export const embedPage = async (scope: FastifyInstance, deps: EmbedPageDeps): Promise<void> => {
  const { site } = deps;
  const view = Handlebars.create().compile<EmbedView>(await sourceText("front/views/embed.hbs"), {
    strict: true,
    knownHelpersOnly: true,
  });
  const [script, ...styles] = await Promise.all([
    builtText("embed-page.js"),
    builtText("installation-page.css"),
    sourceText("front/views/frames.css"),
    sourceText("front/views/embed.css"),
  ]);
  // The frames are same-site with the page under one host name only.
  const isElsewhere = (request: FastifyRequest, reply: FastifyReply): FastifyReply | undefined =>
    site.isPageHost(request)
      ? undefined
      : reply.code(421).send({ message: "The page for the console has a host name of its own." });

  scope.get(EMBED_ROUTES.page, async (request, reply) => {
    const frames = site.frameOrigin(request);
    return (
      isElsewhere(request, reply) ??
      reply
        .headers({ ...OWN_AGENT_CLUSTER, "content-security-policy": embedPolicy(site, frames) })
        .type("text/html; charset=utf-8")
        .send(
          view({
            frames,
            consoles: site.consoleOrigins.join(" "),
            pollSeconds: deps.isLive ? POLL_SECONDS.live : POLL_SECONDS.published,
          }),
        )
    );
  });
  scope.get(EMBED_ROUTES.script, async (_request, reply) => reply.type("text/javascript; charset=utf-8").send(script));
  scope.get(EMBED_ROUTES.style, async (_request, reply) =>
    reply.type("text/css; charset=utf-8").send(styles.join("\n")),
  );
  scope.get(EMBED_ROUTES.model, async (request, reply) => {
    const agent = signedInAgentOf(request);
    if (!agent)
      return reply.code(401).send({ message: "The page for the console needs a session. Reload the console." });
    const [{ token, app, places, product }, installation] = await Promise.all([
      deps.model(request),
      deps.installations.find(),
    ]);
    const problem = !installation
      ? NOT_INSTALLED_MESSAGE
      : installation.state === "paused"
        ? PAUSED_MESSAGE
        : undefined;
    const model: EmbedModel = {
      token,
      app,
      places,
      product,
      agent: { id: agent.agent_id, name: personName(agent) },
      revision: `${deps.version()}.${installation?.version ?? 0}`,
      ...(problem !== undefined && { problem }),
    };
    return model;
  });
};
