import { isAtLeast, type OAuthIntegration } from "@parley/contract";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { signedInAgentOf } from "../../identity/page-session.ts";
import { isSameOrigin, PAGE_HEADERS } from "../../pages/page-guard.ts";
import type { HostPorts } from "../../environment/ports.ts";
import { type Project, appTitle } from "../../model/project.ts";
import { AuthorizationFailed, CALLBACK_PATHS, type Authorization } from "./authorization.ts";
import { displayName } from "./integration.ts";
import Handlebars from "handlebars";
import { sourceText } from "../../environment/assets.ts";

interface FieldView {
  readonly key: string;
  readonly label: string;
  readonly hint: string;
  readonly required: boolean;
  readonly type: "text" | "password";
  readonly value: string;
  readonly error: string;
  readonly options: readonly { readonly value: string; readonly selected: boolean }[];
}

interface PageView {
  readonly app: string;
  readonly initial: string;
  readonly heading: string;
  readonly tone: "good" | "bad";
  readonly text: string;
  /** URL that restarts the authorisation; "" if restarting is useless. */
  readonly again: string;
  /** Fields of the form that precedes an authorisation. */
  readonly fields: readonly FieldView[];
}

const OAUTH_REQUIRED_MESSAGE = "This field is required!";

/** Pages of the authorisation flow, as HTML. */
interface OAuthPages {
  done(app: string, integration: string): string;
  failed(app: string, message: string, again?: string): string;
  /** Form for the integration's own parameters. `submitted` contains the submitted values if some were missing. */
  ask(
    app: string,
    integration: string,
    parameters: NonNullable<OAuthIntegration["oauth_iparams"]>,
    submitted?: Readonly<Record<string, string>>,
  ): string;
}

/** Allows no scripts. `form-action` is omitted because browsers would also apply it to the redirect to the provider. */
const OAUTH_POLICY = "default-src 'none'; style-src 'self'; img-src data:; base-uri 'none'; frame-ancestors 'none'";

const oauthPages = async (): Promise<OAuthPages> => {
  const page = Handlebars.create().compile<PageView>(await sourceText("request/oauth/oauth-page.hbs"), {
    strict: true,
    knownHelpersOnly: true,
  });
  const show = (app: string, view: Pick<PageView, "heading"> & Partial<PageView>) => {
    const title = appTitle(app);
    return page({ app: title, initial: title.charAt(0), tone: "bad", text: "", again: "", fields: [], ...view });
  };
  return {
    done: (app, integration) =>
      show(app, {
        heading: `${integration} is authorised`,
        tone: "good",
        text: "The app may use it now. You can close this page.",
      }),
    failed: (app, text, again = "") => show(app, { heading: "Not authorised", text, again }),
    ask: (app, integration, parameters, submitted) =>
      show(app, {
        heading: `Before you authorise ${integration}`,
        fields: Object.entries(parameters).map(([key, parameter]) => {
          const { display_name, description = "", required = false, secure = false, options = [] } = parameter;
          const value = submitted?.[key] ?? parameter.default_value ?? "";
          return {
            key,
            label: display_name,
            hint: description,
            required,
            type: secure ? ("password" as const) : ("text" as const),
            value: secure ? "" : value,
            error: submitted && required && value.trim() === "" ? OAUTH_REQUIRED_MESSAGE : "",
            options: options.map((option) => ({ value: option, selected: option === value })),
          };
        }),
      }),
  };
};

interface OAuthRoutesDeps {
  readonly project: () => Pick<Project, "name" | "oauth">;
  readonly authorization: Authorization;
  readonly random: HostPorts["random"];
  /** Origin of the app's site in browsers, to which providers redirect. */
  readonly siteOrigin: () => string;
}

interface AuthorizeRoute {
  Params: { integration: string };
  Querystring: { agent?: string };
  Body: string | undefined;
}

const BROWSER_COOKIE = "parley_oauth";
/** @units bytes */
const BROWSER_ID_BYTES = 24;
const FORM_BYTES_MAX = 64 * 1024;

const browserOf = ({ headers }: FastifyRequest): string | undefined =>
  new RegExp(`(?:^|;\\s*)${BROWSER_COOKIE}=([\\w-]{32})(?:;|$)`).exec(headers.cookie ?? "")?.[1];

/** Submitted values of the integration's parameters. */
const submittedValues = ({ oauth_iparams = {} }: OAuthIntegration, body: string): Record<string, string> => {
  const form = new URLSearchParams(body);
  return Object.fromEntries(Object.keys(oauth_iparams).map((key) => [key, (form.get(key) ?? "").trim()]));
};

const isComplete = ({ oauth_iparams = {} }: OAuthIntegration, values: Readonly<Record<string, string>>): boolean =>
  Object.entries(oauth_iparams).every(([key, { required }]) => !required || values[key] !== "");

/** Serves `GET` and `POST /oauth/:integration/authorize`, and the callback paths of providers. */
export const oauthRoutes = (app: FastifyInstance, deps: OAuthRoutesDeps): void => {
  void app.register(async (scope) => {
    const pages = await oauthPages();
    scope.addContentTypeParser("application/x-www-form-urlencoded", { parseAs: "string" }, (_request, body, done) =>
      done(null, body),
    );
    const html = (reply: FastifyReply, status: number, text: string) =>
      reply.code(status).type("text/html; charset=utf-8").send(text);
    scope.addHook("onRequest", async (_request, reply) => {
      // With `no-referrer`, browsers hide the origin of a form submission.
      const headers = { ...PAGE_HEADERS, "referrer-policy": "same-origin" };
      reply.headers({ ...headers, "content-security-policy": OAUTH_POLICY });
    });
    scope.setErrorHandler((error, request, reply) => {
      if (!(error instanceof AuthorizationFailed)) throw error;
      const isBegin = request.url.includes("/authorize") && error.status !== 404;
      return html(reply, error.status, pages.failed(deps.project().name, error.message, isBegin ? request.url : ""));
    });

    /** Identifies the browser by a cookie that is valid as long as an authorisation may take. */
    const browserFor = (request: FastifyRequest, reply: FastifyReply): string => {
      const browser = browserOf(request) ?? deps.random(BROWSER_ID_BYTES).toString("base64url");
      reply.header("set-cookie", `${BROWSER_COOKIE}=${browser}; Path=/; Max-Age=600; HttpOnly; SameSite=Lax`);
      return browser;
    };
    const integrationOf = (name: string) => {
      const integrations = deps.project().oauth?.integrations ?? {};
      const integration = Object.hasOwn(integrations, name) ? integrations[name] : undefined;
      if (integration) return integration;
      throw new AuthorizationFailed(404, `config/oauth_config.json has no integration '${name}'.`);
    };
    /** Where pages need a session: admins authorise for the account, agents for themselves only. @errors AuthorizationFailed */
    const checkAgent = (request: FastifyRequest<AuthorizeRoute>, { token_type }: OAuthIntegration): void => {
      const signedIn = signedInAgentOf(request);
      if (!signedIn) return;
      if (token_type === "agent" && request.query.agent !== signedIn.agent_id)
        throw new AuthorizationFailed(403, "Agents authorise this connection for themselves only.");
      if (token_type !== "agent" && !isAtLeast(signedIn.role_id, "ADMIN"))
        throw new AuthorizationFailed(403, "An admin of the account authorises this connection.");
    };
    const begin = (
      request: FastifyRequest<AuthorizeRoute>,
      reply: FastifyReply,
      values: Readonly<Record<string, string>>,
    ) => {
      const { integration: name } = request.params;
      const requester = { browser: browserFor(request, reply), agent: request.query.agent };
      return reply.redirect(deps.authorization.begin(name, requester, values), 303);
    };

    scope.get<AuthorizeRoute>("/oauth/:integration/authorize", async (request, reply) => {
      // The provider redirects to this host name, and the browser sends the cookie only there.
      const own = deps.siteOrigin();
      if (request.headers.host !== new URL(own).host) return reply.redirect(own + request.url, 302);
      const { integration: name } = request.params;
      const integration = integrationOf(name);
      checkAgent(request, integration);
      const parameters = integration.oauth_iparams ?? {};
      if (Object.keys(parameters).length === 0) return begin(request, reply, {});
      return html(reply, 200, pages.ask(deps.project().name, displayName(name, integration), parameters));
    });

    scope.post<AuthorizeRoute>(
      "/oauth/:integration/authorize",
      { bodyLimit: FORM_BYTES_MAX },
      async (request, reply) => {
        const { integration: name } = request.params;
        const isWithoutOrigin = request.pageSession !== undefined && request.headers.origin === undefined;
        if (!isSameOrigin(request) || isWithoutOrigin)
          throw new AuthorizationFailed(403, "Only this page may ask that.");
        const integration = integrationOf(name);
        checkAgent(request, integration);
        const values = submittedValues(integration, request.body ?? "");
        if (isComplete(integration, values)) return begin(request, reply, values);
        const parameters = integration.oauth_iparams ?? {};
        return html(reply, 400, pages.ask(deps.project().name, displayName(name, integration), parameters, values));
      },
    );

    for (const path of CALLBACK_PATHS)
      scope.get<{ Querystring: Record<string, unknown> }>(path, async (request, reply) => {
        const done = await deps.authorization.end(request.query, browserOf(request));
        return html(reply, 200, pages.done(deps.project().name, done));
      });
  });
};
