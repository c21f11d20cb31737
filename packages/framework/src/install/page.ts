import { AppSettingsChange, InstallCheck, InstallRequest, InstallSave } from "@parley/contract";
import type { InstallAnswer, InstallCheckAnswer, InstallConnection, InstallRequestAnswer } from "@parley/contract";
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { AppSettingsControl } from "../app-settings/change.ts";
import { builtText } from "../assets.ts";
import { ConsentRefused, type Consents } from "../consents/consents.ts";
import type { Connections } from "../oauth/connections.ts";
import type { Loaded } from "../project/project.ts";
import { RequestRejected, type RequestMethod } from "../request/request-method.ts";
import type { Install } from "./install.ts";
import type { Installations } from "./installations.ts";
import { entryOf, fieldsOf } from "./iparams-fields.ts";
import { ownPageRoutes } from "./own/own-page.ts";
import { basisOf } from "./basis.ts";
import { isOurHost, pageGuard, tokens } from "./page-guard.ts";
import { framePolicy, inScript, PAGE_HEADERS, PAGE_POLICY } from "./page-policy.ts";
import { callFrom } from "./page-request.ts";
import { typeFault } from "./validate.ts";
import { patternsFault } from "./validate-values.ts";
import { loadViews } from "./views/render.ts";
import { pageView } from "./views/view.ts";

export interface InstallPageDeps extends Pick<RequestMethod, "invokeTemplate" | "fetch"> {
  /** The last good version of the app, and what is wrong with the newest. */
  readonly loaded: () => Loaded;
  readonly installations: Pick<Installations, "find">;
  readonly install: Install;
  readonly uninstall?: () => Promise<void>;
  readonly connections?: Connections;
  readonly consents?: Pick<Consents, "list" | "change">;
  readonly appSettings?: AppSettingsControl;
  readonly domainSuffix: string;
  /** Host of the account that an app without a domain parameter is installed on. */
  readonly usualDomain?: string;
  /** A text that nobody can guess. */
  readonly newToken: () => string;
  /** Names by which the host may be reached besides the local ones. */
  readonly hostnames?: readonly string[];
}

/** Of a form. */
const BODY_BYTES = 512 * 1024;

const refuse = (reply: FastifyReply, code: number, message: string) => reply.code(code).send({ message });

/** The installation page at `/custom_configs`, and what only it may ask. */
export const installPage = (app: FastifyInstance, deps: InstallPageDeps): void => {
  const issued = tokens(deps.newToken);
  const ours = pageGuard({ issued, page: "installation page", tokenRoute: "/custom_configs/token" });

  const guard = async (request: FastifyRequest, reply: FastifyReply) => {
    reply.headers(PAGE_HEADERS);
    if (!isOurHost(request, deps.hostnames ?? [])) return refuse(reply, 421, "This host is not known by that name.");
    return ours(request, reply);
  };

  const fields = () => {
    const { project } = deps.loaded();
    return project ? fieldsOf(project) : [];
  };

  const check = ({ key, value }: InstallCheck): InstallCheckAnswer => {
    const field = fields().find((candidate) => candidate.key === key);
    const entry = field && entryOf(field.type, value);
    if (!field || entry === undefined) return {};
    const { options: _, ...rule } = field;
    const error = typeFault(entry, rule, deps.domainSuffix) ?? patternsFault(entry, field, deps.domainSuffix);
    return error === undefined ? {} : { error };
  };

  const request = async (asked: InstallRequest): Promise<InstallRequestAnswer> => {
    const { project } = deps.loaded();
    const call = callFrom(asked, {
      fields: fields(),
      installation: await deps.installations.find(),
      domainSuffix: deps.domainSuffix,
      isOwn: project?.ownPage !== undefined,
    });
    try {
      return { reply: await ("name" in call ? deps.invokeTemplate(call) : deps.fetch(call)) };
    } catch (error) {
      if (error instanceof RequestRejected) return { failure: error.failure };
      throw error;
    }
  };

  const connections = async (): Promise<InstallConnection[]> =>
    ((await deps.connections?.list()) ?? []).map(({ name, displayName, tokenType, authorized }) => ({
      name,
      displayName,
      tokenType,
      authorized,
    }));

  void app.register(
    async (scope) => {
      const [views, pageScript, frameScript, ownScript, consentsScript, settingsScript, ownClient] = await Promise.all([
        loadViews(),
        builtText("page.js"),
        builtText("frame.js"),
        builtText("own-page.js"),
        builtText("consents.js"),
        builtText("app-settings.js"),
        builtText("own-client.js"),
      ]);
      scope.addHook("onRequest", guard);
      scope.setErrorHandler<FastifyError>(async (error, _request, reply) => {
        if (error.statusCode !== 413) throw error;
        return refuse(reply, 413, `All values together may take ${BODY_BYTES / 1_024} KB.`);
      });
      scope.get("/", async (_request, reply) => {
        const scene = {
          project: undefined,
          ...deps.loaded(),
          installation: await deps.installations.find(),
          connections: (await deps.connections?.list()) ?? [],
          consents: await deps.consents?.list(),
          appSettings: (await deps.appSettings?.list()) ?? [],
          mayUninstall: deps.uninstall !== undefined,
          domainSuffix: deps.domainSuffix,
          usualDomain: deps.usualDomain ?? "",
          token: issued.issue(),
        };
        return reply
          .header("content-security-policy", PAGE_POLICY)
          .type("text/html; charset=utf-8")
          .send(views.page(pageView(scene)));
      });
      // A page that was opened before this host started goes on with a new token.
      scope.get("/token", async () => ({ token: issued.issue() }));
      scope.get("/frame", async (_request, reply) => {
        const callbacks = inScript(deps.loaded().project?.callbacksCode ?? "");
        const script = inScript(frameScript);
        return reply
          .header("content-security-policy", framePolicy(script))
          .type("text/html; charset=utf-8")
          .send(views.frame({ callbacks, script }));
      });
      scope.get("/page.css", async (_request, reply) => reply.type("text/css; charset=utf-8").send(views.style));
      scope.get("/page.js", async (_request, reply) => reply.type("text/javascript; charset=utf-8").send(pageScript));
      scope.get("/consents.js", async (_request, reply) =>
        reply.type("text/javascript; charset=utf-8").send(consentsScript),
      );
      scope.get("/app-settings.js", async (_request, reply) =>
        reply.type("text/javascript; charset=utf-8").send(settingsScript),
      );
      scope.get("/own-page.js", async (_request, reply) =>
        reply.type("text/javascript; charset=utf-8").send(ownScript),
      );
      ownPageRoutes(scope, () => deps.loaded().project, ownClient);
      const limited = { bodyLimit: BODY_BYTES };
      scope.post<{ Body: InstallCheck }>("/check", { ...limited, schema: { body: InstallCheck } }, async ({ body }) =>
        check(body),
      );
      scope.post<{ Body: InstallRequest }>(
        "/request",
        { ...limited, schema: { body: InstallRequest } },
        async ({ body }) => request(body),
      );
      scope.post<{ Body: InstallSave }>("/save", { ...limited, schema: { body: InstallSave } }, async ({ body }) => {
        const answer = await deps.install(body);
        if (!answer.ok) return answer satisfies InstallAnswer;
        const { project } = deps.loaded();
        const basis = project && basisOf(project, answer.installation);
        return { ok: true, ...(basis && { basis }) } satisfies InstallAnswer;
      });
      scope.post("/connections", connections);
      const { consents, appSettings } = deps;
      if (appSettings)
        scope.post<{ Body: AppSettingsChange }>(
          "/app-settings",
          { ...limited, schema: { body: AppSettingsChange } },
          ({ body }) => appSettings.change(body),
        );
      if (consents)
        scope.post("/consents", limited, async ({ body }, reply) => {
          try {
            await consents.change(body);
            return await consents.list();
          } catch (error) {
            if (error instanceof ConsentRefused) return refuse(reply, error.status, error.message);
            throw error;
          }
        });
      scope.post("/uninstall", async () => {
        await deps.uninstall?.();
        return { ok: true };
      });
    },
    { prefix: "/custom_configs" },
  );
};
