import {
  FrontCall,
  FrontChange,
  FrontLook,
  FrontMessage,
  misfits,
  PRODUCTS,
  type FrontModel,
  type FrontOutcome,
} from "@parley/contract";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { Compile } from "typebox/compile";
import { builtText } from "../assets.ts";
import { pageGuard, tokens } from "../install/page-guard.ts";
import { PAGE_HEADERS } from "../install/page-policy.ts";
import { titleOf } from "../install/views/view.ts";
import { frontCalls, type FrontCallsDeps } from "./calls.ts";
import { CLIENT, frameOrigin, OWN_AGENT_CLUSTER, pageOrigin, PROBE } from "./origin.ts";
import { placesOf } from "./places.ts";
import { ServiceRefused } from "./service.ts";
import { standingOf, type StandingDeps } from "./standing.ts";
import { loadFrontViews } from "./view.ts";

export interface FrontPageDeps extends FrontCallsDeps, StandingDeps {
  /** A text that nobody can guess. */
  readonly newToken: () => string;
}

const BODY_BYTES = 512 * 1024;

/** What the page may do: talk to its own host, and hold the app's frames. */
const pagePolicy = (own: string, frames: string) =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    `connect-src 'self' ${frames}`,
    "img-src 'self' data:",
    `frame-src http://${own}/app/ ${frames}/app/`,
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join("; ");

const outcomeOf = async (deed: Promise<void>): Promise<FrontOutcome> => {
  try {
    await deed;
    return { ok: true };
  } catch (error) {
    if (error instanceof ServiceRefused) return { ok: false, message: error.message };
    throw error;
  }
};

type Shape = Parameters<typeof misfits>[0];

const saysWhy = (shape: Shape, body: unknown): string => {
  const [first] = misfits(shape, body);
  return `This can't be asked: ${first?.pointer ?? ""} ${first?.message ?? "it has another shape"}`;
};

/** `GET /`: the page where agents see the app, and, under `/front`, what only it may ask. */
export const frontPage = (app: FastifyInstance, deps: FrontPageDeps): void => {
  const issued = tokens(deps.newToken);
  const answer = frontCalls(deps);

  const ours = pageGuard({ issued, page: "host page" });
  const guard = async (request: FastifyRequest, reply: FastifyReply) => ours(request, reply.headers(PAGE_HEADERS));

  const model = async (): Promise<FrontModel> => {
    const { project } = deps.newest();
    const domain = (await deps.installations.find())?.domain;
    return {
      token: issued.issue(),
      app: titleOf(project.name),
      live: deps.desk.live,
      places: placesOf(project.manifest),
      product: { name: PRODUCTS[0], url: domain === undefined ? "" : `https://${domain}` },
    };
  };

  void app.register(async (scope) => {
    const [views, pageScript, clientScript] = await Promise.all([
      loadFrontViews(),
      builtText("desk.js"),
      builtText("client.js"),
    ]);
    scope.addHook("onRequest", guard);
    scope.get("/", async (request, reply) => {
      const { project } = deps.newest();
      const frames = frameOrigin(request, project.name);
      const view = {
        model: await model(),
        home: pageOrigin(request, project.name),
        frames,
        description: project.description,
        standing: await standingOf(deps, {}),
      };
      return reply
        .headers({
          ...OWN_AGENT_CLUSTER,
          "content-security-policy": pagePolicy(request.headers.host ?? "", frames),
          "cross-origin-opener-policy": "same-origin",
        })
        .type("text/html; charset=utf-8")
        .send(views.page(view));
    });
    const script = "text/javascript; charset=utf-8";
    scope.get("/front/page.css", async (_request, reply) => reply.type("text/css; charset=utf-8").send(views.style));
    scope.get("/front/page.js", async (_request, reply) => reply.type(script).send(pageScript));
    // Both are asked for from another origin: neither says anything of this installation.
    scope.get(CLIENT, async (_request, reply) =>
      reply.header("access-control-allow-origin", "*").type(script).send(clientScript),
    );
    scope.get(PROBE, async (_request, reply) => reply.header("access-control-allow-origin", "*").code(204).send());

    /** The framework's own check would take away what another branch of a union does not name. */
    const post = (path: string, shape: Shape, deed: (body: never) => Promise<unknown>) => {
      const check = Compile(shape);
      scope.post(path, { bodyLimit: BODY_BYTES }, async ({ body }, reply) =>
        check.Check(body) ? deed(body as never) : reply.code(400).send({ message: saysWhy(shape, body) }),
      );
    };
    post("/front/look", FrontLook, (look: FrontLook) => standingOf(deps, look));
    post("/front/call", FrontCall, answer);
    post("/front/send", FrontMessage, (message: FrontMessage) => outcomeOf(deps.desk.send(message)));
    post("/front/change", FrontChange, (change: FrontChange) => outcomeOf(deps.desk.change(change)));
  });
};
