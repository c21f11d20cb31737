import { EgressFailure, type Egress } from "@parley/egress";
import type { Consents } from "../state/consents.ts";
import type { RequestDispatcher, DispatchRequest, PreparedRequest } from "./dispatch.ts";
import {
  refuseRequest,
  type DirectCall,
  type DirectReply,
  type OAuthAccess,
  type FetchCall,
} from "./request-method.ts";
import { FetchOptions, matchesSchema, schemaErrors, type FetchReply } from "@parley/contract";
import { plainText, SubstitutionFailed, type TemplateSources, fillTemplate } from "../model/templates/substitute.ts";
import type { Project } from "../model/project.ts";
import { callSourcesOf, substituteOrReject, type SourcesDeps } from "./sources.ts";
import { hasVerbs } from "../model/templates/template.ts";
import { ownApiHosts } from "../model/templates/account-host.ts";
import { isWhitelisted } from "../model/templates/whitelist.ts";

interface DirectCallDeps {
  readonly egress: Pick<Egress, "check">;
  readonly consents: Pick<Consents, "mayCall">;
  readonly sendOnce: RequestDispatcher["sendOnce"];
}

/** Validates a URL that the app composed. @errors RequestRejected */
const checkedUrl = (text: string, egress: Pick<Egress, "check">): URL => {
  // A mapped host is reachable without TLS, but apps may not request that.
  if (!/^\s*https:/i.test(text)) refuseRequest(400, "Invalid URL - Must be HTTPS");
  try {
    egress.check(text);
  } catch (error) {
    if (error instanceof EgressFailure) refuseRequest(error.code, error.message);
    throw error;
  }
  return new URL(text);
};

function refuseWithoutConsent(host: string): never {
  refuseRequest(
    403,
    `The app's code may not call ${host}: no admin has agreed to it. Agree on the installation page or by 'npx parley consent give ${host}', or let the app use $request.`,
  );
}

/**
 * Handles calls that the app's code makes with `http`, `https` and `fetch`, under the URL rules, limits and rate limit of the request method. No
 * secret is filled in. A redirect is returned to the client, which follows it with another call.
 */
export const directCallMethod =
  ({ egress, consents, sendOnce }: DirectCallDeps) =>
  async (call: DirectCall): Promise<DirectReply> => {
    const { method, headers, body } = call;
    const url = checkedUrl(call.url, egress);
    if (!(await consents.mayCall(url.host))) refuseWithoutConsent(url.host);
    const ready = { method, url: url.href, headers, ...(body !== undefined && { body: Buffer.from(body, "base64") }) };
    return sendOnce(call, ready, "base64");
  };

/** Body of a request, with its content type. */
interface FetchBody {
  readonly body?: string;
  /** Absent if the app's headers determine it. */
  readonly contentType?: string;
}

const JSON_TYPE = "application/json";
const FORM_TYPE = "application/x-www-form-urlencoded";
const IPARAM_PLACEHOLDER = /<%=\s*iparam\.([\w$-]+)\s*%>/g;

/**
 * Replaces the placeholders of parameters in a body's text.
 * @assumed No other placeholder is replaced: a body may contain text that a customer wrote, so that other placeholders are sent unchanged.
 * @errors SubstitutionFailed for a secure parameter
 */
const filledText = (text: string, from: TemplateSources): string =>
  text.replace(IPARAM_PLACEHOLDER, (hole, key: string) => {
    if (Object.hasOwn(from.values, key)) return plainText(from.values[key]) ?? hole;
    if (!Object.hasOwn(from.secrets, key)) return hole;
    throw new SubstitutionFailed(`iparam.${key} is secure: it may stand in headers only`);
  });

const formOf = (body: object): string =>
  new URLSearchParams(
    Object.entries(body).flatMap(([name, value]: [string, unknown]) => {
      const text = plainText(value);
      return text === undefined ? [] : [[name, text]];
    }),
  ).toString();

/** Serialises the body from the options of a request method. @errors SubstitutionFailed */
const fetchBody = ({ json, body }: FetchOptions, contentType: string, from: TemplateSources): FetchBody => {
  const content = typeof json === "object" ? json : body;
  if (content === undefined || content === null) return {};
  if (typeof content === "string")
    return { body: filledText(content, from), ...(json === true ? { contentType: JSON_TYPE } : {}) };
  if (json === undefined && contentType.startsWith(FORM_TYPE)) return { body: formOf(content) };
  return { body: filledText(JSON.stringify(content), from), contentType: JSON_TYPE };
};

interface FetchDeps extends SourcesDeps {
  readonly project: () => Pick<Project, "manifest" | "iparams" | "platformVersion" | "requests" | "whitelistedDomains">;
  readonly egress: Pick<Egress, "check">;
  readonly dispatch: DispatchRequest;
}

const optionsOf = (rawOptions: unknown): FetchOptions => {
  const options = rawOptions ?? {};
  if (matchesSchema(FetchOptions, options)) return options;
  const [{ pointer, message } = { pointer: "", message: "can't be read" }] = schemaErrors(FetchOptions, options);
  refuseRequest(400, `Invalid options: ${pointer.slice(1) || "they"} ${message}`);
};

const headersOf = (rawHeaders: FetchOptions["headers"] = {}): Record<string, string> =>
  Object.fromEntries(
    Object.entries(rawHeaders).flatMap(([name, value]) =>
      value === null ? [] : [[name.toLowerCase(), String(value)]],
    ),
  );

/** The response in the form that the `json` option selects. */
const parseResponse = (response: string, { json }: FetchOptions): unknown => {
  if (json === undefined || json === false) return response;
  try {
    return JSON.parse(response) as unknown;
  } catch {
    return response;
  }
};

/** `request.get`, `post`, `put`, `patch` and `delete` of platform versions up to 2.2, for `server/`, `app/` and `config/assets/`. */
export const fetchMethod = (deps: FetchDeps) => {
  return async (call: FetchCall): Promise<FetchReply> => {
    const { platformVersion, whitelistedDomains = [] } = deps.project();
    if (!hasVerbs(platformVersion))
      refuseRequest(
        400,
        `request.${call.method} is not known to platform-version ${platformVersion}: declare a template in config/requests.json, and use request.invokeTemplate`,
      );
    const options = optionsOf(call.options);
    if (options.formData !== undefined) refuseRequest(415, "Unsupported content type");
    const sources = await callSourcesOf(deps, call, {});
    const headers = headersOf(options.headers);

    const ready = (access: Partial<OAuthAccess> = {}): PreparedRequest =>
      substituteOrReject(() => {
        // The host is unknown until the URL is filled in, so that no app setting may be part of it.
        const from = { ...sources.withAllSecrets(access), appSettings: {} };
        const url = checkedUrl(fillTemplate(call.url, "path", from), deps.egress);
        if (!isWhitelisted(url, whitelistedDomains, from, ownApiHosts(from.domain, deps.domainSuffix)))
          refuseRequest(
            400,
            `This domain has not been whitelisted: ${url.host}. Add "https://${url.host}" to whitelisted-domains in manifest.json`,
          );
        const allowed = sources.forDestination({ host: url.host }, access);
        const { body, contentType } = fetchBody(options, headers["content-type"] ?? "", allowed);
        return {
          method: call.method.toUpperCase(),
          url: url.href,
          headers: {
            ...(contentType === undefined ? {} : { "content-type": contentType }),
            ...Object.fromEntries(
              Object.entries(headers).map(([name, text]) => [name, fillTemplate(text, "headers", allowed)]),
            ),
          },
          ...(body === undefined ? {} : { body }),
        };
      });
    const { response, ...reply } = await deps.dispatch(call, options, ready);
    return { ...reply, response: parseResponse(response, options) };
  };
};
