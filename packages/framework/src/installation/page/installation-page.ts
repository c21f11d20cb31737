import {
  InstallRequest,
  type IparamValue,
  AppSettingsChange,
  InstallCheck,
  InstallSave,
  type InstallAnswer,
  type InstallCheckAnswer,
  type InstallConnection,
  type InstallRequestAnswer,
} from "@parley/contract";
import {
  type FetchCall,
  type RequestCall,
  type TemplateCall,
  RequestRejected,
  type HostRequestMethod,
} from "../../request/request-method.ts";
import type { Installation, Installations } from "../../state/installations.ts";
import { formEntryOf, storedValueOf, type IparamField, iparamFieldsOf } from "../../model/iparams/fields.ts";
import { isEmpty, typeFault } from "../../model/iparams/validate-value.ts";
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { AppSettingsControl } from "../workflow/app-settings-change.ts";
import { builtText } from "../../environment/assets.ts";
import { ControlRefused } from "../../model/app-refused.ts";
import type { Consents } from "../../state/consents.ts";
import type { OAuthConnections } from "../../request/oauth/oauth.ts";
import type { LoadedProject } from "../../model/project.ts";
import type { InstallWorkflow } from "../workflow/install.ts";
import type { UninstallWorkflow } from "../workflow/uninstall.ts";
import type { ChangeAuthor } from "../../identity/change-reports.ts";
import { keyOfferOf, keyRoutes, type PageKeys } from "./routes/created-keys.ts";
import { versionRoutes, versionStateOf, type PageVersions } from "./routes/page-versions.ts";
import { ownPageRoutes } from "./routes/own-page.ts";
import { INSTALL_PAGE, OWN_AGENT_CLUSTER, OWN_PAGE_ROUTES, type SiteAddress } from "../../pages/origin.ts";
import { signedInAgentOf } from "../../identity/page-session.ts";
import { installBasis } from "../../state/install-basis.ts";
import {
  pageGuard,
  createPageTokens,
  sandboxedFramePolicy,
  inScript,
  PAGE_HEADERS,
  pagePolicy,
  sendRefusal,
} from "../../pages/page-guard.ts";
import { patternsFault } from "../../model/iparams/validate-values.ts";
import { loadInstallViews, installPageView } from "./views/view.ts";

interface PageRequestDeps {
  readonly fields: readonly IparamField[];
  readonly installation: Installation | undefined;
  readonly domainSuffix: string;
  /** The app has its own installation page, whose values are unknown before they are saved. */
  readonly isOwn: boolean;
}

/** The typed value, else a secure default. An empty secure field stands for the stored value and is omitted. */
const typed = (
  { values }: InstallRequest,
  { fields, domainSuffix, installation }: PageRequestDeps,
): Readonly<Record<string, IparamValue>> =>
  Object.fromEntries(
    fields.flatMap((field) => {
      const { key, type, secure, initial } = field;
      const isDefault = secure && installation === undefined && !Object.hasOwn(values, key);
      const entry = isDefault ? initial : Object.hasOwn(values, key) ? formEntryOf(type, values[key]) : undefined;
      if (entry === undefined || (secure && isEmpty(entry))) return [];
      return [[key, storedValueOf(field, entry, domainSuffix)]];
    }),
  );

/** Converts a request of the app's code on the page for the request method, which decides which secrets may be sent. */
const callFrom = (body: InstallRequest, deps: PageRequestDeps): TemplateCall | FetchCall => {
  const { installation, isOwn } = deps;
  const values = isOwn ? (installation?.values ?? {}) : typed(body, deps);
  const by: RequestCall = { origin: "page", values, ...(installation ? { installation } : {}) };
  return "name" in body.question ? { ...by, ...body.question } : { ...by, options: {}, ...body.question };
};

export interface InstallationPageDeps extends Pick<HostRequestMethod, "invokeTemplate" | "fetch"> {
  readonly site: SiteAddress;
  /** The last valid version of the app, and the findings of the newest version. */
  readonly loaded: () => LoadedProject;
  readonly installations: Pick<Installations, "find">;
  readonly install: InstallWorkflow;
  readonly uninstall?: UninstallWorkflow;
  readonly connections?: OAuthConnections;
  readonly consents?: Pick<Consents, "list" | "change">;
  readonly appSettings?: AppSettingsControl;
  readonly domainSuffix: string;
  /** Host of the account on which an app without a domain parameter is installed. */
  readonly usualDomain?: string;
  /** Unguessable token. */
  readonly pageSecret: () => string;
  /** Actor of a request's change, for the audit log; undefined: changes are not recorded. */
  readonly authorOf?: (request: FastifyRequest) => ChangeAuthor | undefined;
  /** Called after each change of the installation by the page. */
  readonly changed?: () => Promise<void>;
  /** Creates keys for parameters; absent where no service is known. */
  readonly keys?: PageKeys;
  /** Absent for an app that is read from a folder. */
  readonly versions?: PageVersions;
}

/** Maximum size of a submitted form. */
const BODY_BYTES = 512 * 1024;

/** The installation page at `/custom_configs`, and its API, which only the page can call. */
export const installationPage = (app: FastifyInstance, deps: InstallationPageDeps): void => {
  const framesOf = (request: FastifyRequest) => ({
    origin: deps.site.frameOrigin(request),
    pageOrigin: deps.site.pageOrigin(request),
  });
  const authorOf = (request: FastifyRequest) => deps.authorOf?.(request);
  const issued = createPageTokens(deps.pageSecret);
  const ours = pageGuard({ issued, page: "installation page", tokenRoute: "/custom_configs/token" });

  const guard = async (request: FastifyRequest, reply: FastifyReply) => {
    reply.headers(PAGE_HEADERS);
    return ours(request, reply);
  };

  const fields = () => {
    const { project } = deps.loaded();
    return project ? iparamFieldsOf(project) : [];
  };

  const check = ({ key, value }: InstallCheck): InstallCheckAnswer => {
    const field = fields().find((candidate) => candidate.key === key);
    const entry = field && formEntryOf(field.type, value);
    if (!field || entry === undefined) return {};
    const { options: _, ...rule } = field;
    const error = typeFault(entry, rule, deps.domainSuffix) ?? patternsFault(entry, field, deps.domainSuffix);
    return error === undefined ? {} : { error };
  };

  const request = async (body: InstallRequest): Promise<InstallRequestAnswer> => {
    const { project } = deps.loaded();
    const call = callFrom(body, {
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
        loadInstallViews(),
        builtText("installation-form.js"),
        builtText("frame.js"),
        builtText("own-page.js"),
        builtText("consents.js"),
        builtText("app-settings.js"),
        builtText("own-client.js"),
      ]);
      scope.addHook("onRequest", guard);
      scope.setErrorHandler<FastifyError>(async (error, _request, reply) => {
        if (error.statusCode !== 413) throw error;
        return sendRefusal(reply, 413, `All values together may take ${BODY_BYTES / 1_024} KB.`);
      });
      scope.get<{ Querystring: { all?: string } }>("/", async (request, reply) => {
        const { project, findings } = { project: undefined, ...deps.loaded() };
        const { domainSuffix, keys, versions } = deps;
        const installation = await deps.installations.find();
        const ownFrames = project?.ownPage === undefined ? undefined : framesOf(request);
        const showsAll = request.query.all !== undefined;
        const pageData = {
          project,
          findings,
          installation,
          keyOffer: keyOfferOf(project, domainSuffix, keys, signedInAgentOf(request)),
          versions: versions && (await versionStateOf(versions, { project, installation, domainSuffix, showsAll })),
          connections: (await deps.connections?.list()) ?? [],
          consents: await deps.consents?.list(),
          appSettings: (await deps.appSettings?.list()) ?? [],
          mayUninstall: deps.uninstall !== undefined,
          domainSuffix,
          usualDomain: deps.usualDomain ?? "",
          accountDomain: versions && deps.usualDomain,
          ownFrames,
          token: issued.issue(request.pageSession),
        };
        return reply
          .headers({
            ...OWN_AGENT_CLUSTER,
            "content-security-policy": pagePolicy(ownFrames && { ...ownFrames, folder: OWN_PAGE_ROUTES.root }),
          })
          .type("text/html; charset=utf-8")
          .send(views.page(installPageView(pageData)));
      });
      // A page that was opened before this host started gets a new token here.
      scope.get("/token", async ({ pageSession }) => ({ token: issued.issue(pageSession) }));
      scope.get("/frame", async (_request, reply) => {
        const callbacks = inScript(deps.loaded().project?.callbacksCode ?? "");
        const script = inScript(frameScript);
        return reply
          .header("content-security-policy", sandboxedFramePolicy(script))
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
      ownPageRoutes(scope, { project: () => deps.loaded().project, site: deps.site, client: ownClient });
      const limited = { bodyLimit: BODY_BYTES };
      scope.post<{ Body: InstallCheck }>("/check", { ...limited, schema: { body: InstallCheck } }, async ({ body }) =>
        check(body),
      );
      scope.post<{ Body: InstallRequest }>(
        "/request",
        { ...limited, schema: { body: InstallRequest } },
        async ({ body }) => request(body),
      );
      scope.post<{ Body: InstallSave }>("/save", { ...limited, schema: { body: InstallSave } }, async (request) => {
        const answer = await deps.install(request.body, authorOf(request));
        if (!answer.ok) {
          const { isByApp: _isByApp, ...refusal } = answer;
          return refusal satisfies InstallAnswer;
        }
        await deps.changed?.();
        const { project } = deps.loaded();
        const basis = project && installBasis(project, answer.installation);
        return { ok: true, ...(basis && { basis }) } satisfies InstallAnswer;
      });
      scope.post("/connections", connections);
      keyRoutes(scope, {
        keys: deps.keys,
        domainSuffix: deps.domainSuffix,
        project: () => deps.loaded().project,
        secret: deps.pageSecret,
      });
      versionRoutes(scope, deps.versions, authorOf);
      const { consents, appSettings } = deps;
      if (appSettings)
        scope.post<{ Body: AppSettingsChange }>(
          "/app-settings",
          { ...limited, schema: { body: AppSettingsChange } },
          async (request) => {
            const answer = await appSettings.change(request.body, authorOf(request));
            await deps.changed?.();
            return answer;
          },
        );
      if (consents)
        scope.post("/consents", limited, async (request, reply) => {
          try {
            await consents.change(request.body, authorOf(request));
            await deps.changed?.();
            return await consents.list();
          } catch (error) {
            if (error instanceof ControlRefused) return sendRefusal(reply, error.status, error.message);
            throw error;
          }
        });
      scope.post("/uninstall", async (request) => {
        await deps.uninstall?.(authorOf(request));
        await deps.changed?.();
        return { ok: true };
      });
    },
    { prefix: INSTALL_PAGE },
  );
};
