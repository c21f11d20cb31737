import {
  isObject,
  type SimulationModel,
  Simulation,
  SimulationChoice,
  type SimulationAnswer,
  type SimulationPayload,
} from "@parley/contract";
import Handlebars from "handlebars";
import { sourceText, builtText } from "../../environment/assets.ts";
import { appTitle } from "../../model/project.ts";
import { findingLine } from "../../model/finding.ts";
import type { NewestProject } from "../../package/live-project.ts";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { createEventRaiser, type EventRaiserDeps } from "../raise.ts";
import { sendControlRefusal, PAYLOAD_BODY_BYTES_MAX } from "../routes.ts";
import { pageGuard, createPageTokens, PAGE_HEADERS, PAGE_POLICY } from "../../pages/page-guard.ts";
import { parseAppJson } from "../../model/json.ts";

/** Initial data of the page. */
interface SimulationData extends NewestProject {
  readonly isInstalled: boolean;
  readonly model: SimulationModel;
}

const viewOf = ({ project, findings, isInstalled, model }: SimulationData) => {
  const title = appTitle(project.name);
  return {
    title,
    initial: title.charAt(0),
    isInstalled,
    hasEvents: model.events.length > 0,
    errors: findings.filter(({ level }) => level === "error").map(findingLine),
    model: JSON.stringify(model),
  };
};

/** Reads and compiles the page template. A name that the view model lacks is an error, and all text is escaped. */
const loadSimulationViews = async () => {
  const text = await sourceText("control/simulation/views/simulation.hbs");
  const page = Handlebars.create().compile<ReturnType<typeof viewOf>>(text, { strict: true, knownHelpersOnly: true });
  return {
    page: (data: SimulationData): string => page(viewOf(data)),
    style: await sourceText("control/simulation/views/simulation.css"),
  };
};

interface SimulationPageDeps extends EventRaiserDeps {
  /** The last valid version of the app, and the errors of the newest version. */
  readonly newest: () => NewestProject;
  /** Unguessable token. */
  readonly pageSecret: () => string;
}

const PREFIX = "/web/test";
const NO_OBJECT = 'A payload is an object, such as {"data": {}}.';

/** `GET /web/test`: the page on which the app's author raises events and calls functions by hand, and what only it may ask. */
export const simulationPage = (app: FastifyInstance, deps: SimulationPageDeps): void => {
  const author = createEventRaiser(deps);
  const issued = createPageTokens(deps.pageSecret);
  const ours = pageGuard({ issued, page: "page that raises events", tokenRoute: `${PREFIX}/token` });
  const guard = async (request: FastifyRequest, reply: FastifyReply) => ours(request, reply.headers(PAGE_HEADERS));

  const payload = async (choice: SimulationChoice): Promise<SimulationPayload> => {
    const found = await author.payloadFor(choice);
    return { source: found.source, payload: JSON.stringify(found.payload, null, 2) };
  };

  const simulate = async ({ name, isFunction, payload: text }: Simulation): Promise<SimulationAnswer> => {
    const json = parseAppJson("payload", text);
    if ("findings" in json) {
      const [{ message = NO_OBJECT, line = 1, column = 1 } = {}] = json.findings;
      return { fault: { message, line, column } };
    }
    const { value } = json;
    if (!isObject(value)) return { fault: { message: NO_OBJECT, line: 1, column: 1 } };
    const invocation = isFunction
      ? await author.invoke({ name, args: value })
      : await author.raise({ event: name, payload: value });
    return { invocation };
  };

  void app.register(
    async (scope) => {
      const [views, script] = await Promise.all([loadSimulationViews(), builtText("simulation.js")]);
      scope.addHook("onRequest", guard);
      scope.setErrorHandler((error, _request, reply) => sendControlRefusal(reply, error));
      scope.get("/", async (request, reply) => {
        const data = {
          ...deps.newest(),
          isInstalled: (await deps.installations.find()) !== undefined,
          model: { token: issued.issue(request.pageSession), events: author.named() },
        };
        return reply
          .header("content-security-policy", PAGE_POLICY)
          .type("text/html; charset=utf-8")
          .send(views.page(data));
      });
      // A page that was opened before this host started gets a new token here.
      scope.get("/token", async ({ pageSession }) => ({ token: issued.issue(pageSession) }));
      scope.get("/page.css", async (_request, reply) => reply.type("text/css; charset=utf-8").send(views.style));
      scope.get("/page.js", async (_request, reply) => reply.type("text/javascript; charset=utf-8").send(script));
      scope.post<{ Body: SimulationChoice }>("/payload", { schema: { body: SimulationChoice } }, async ({ body }) =>
        payload(body),
      );
      scope.post<{ Body: Simulation }>(
        "/simulate",
        { bodyLimit: PAYLOAD_BODY_BYTES_MAX, schema: { body: Simulation } },
        async ({ body }) => simulate(body),
      );
    },
    { prefix: PREFIX },
  );
};
