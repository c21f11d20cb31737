import { FetchOptions, fits, misfits, type FetchReply } from "@parley/contract";
import type { Egress } from "@parley/egress";
import type { Access } from "../oauth/access.ts";
import type { Project } from "../project/project.ts";
import type { Dispatch, Ready } from "./dispatch.ts";
import { checkedUrl } from "./direct-call.ts";
import { fetchBody } from "./fetch-body.ts";
import { refused, type FetchCall } from "./request-method.ts";
import { sourcesOf, substituted, type SourcesDeps } from "./sources.ts";
import { fill } from "./substitute.ts";
import { hasVerbs } from "./version.ts";
import { isWhitelisted } from "./whitelist.ts";

export interface FetchDeps extends SourcesDeps {
  readonly project: () => Pick<Project, "manifest" | "iparams" | "platformVersion" | "requests" | "whitelistedDomains">;
  readonly egress: Pick<Egress, "check">;
  readonly dispatch: Dispatch;
}

const optionsOf = (given: unknown): FetchOptions => {
  const options = given ?? {};
  if (fits(FetchOptions, options)) return options;
  const [{ pointer, message } = { pointer: "", message: "can't be read" }] = misfits(FetchOptions, options);
  throw refused(400, `Invalid options: ${pointer.slice(1) || "they"} ${message}`);
};

const headersOf = (given: FetchOptions["headers"] = {}): Record<string, string> =>
  Object.fromEntries(
    Object.entries(given).flatMap(([name, value]) => (value === null ? [] : [[name.toLowerCase(), String(value)]])),
  );

/** A verb's answer, as its `json` option wants it. */
const readAs = (response: string, { json }: FetchOptions): unknown => {
  if (json === undefined || json === false) return response;
  try {
    return JSON.parse(response) as unknown;
  } catch {
    return response;
  }
};

/** The verbs of platform-versions up to 2.2, on all three sides. */
export const fetchMethod = (deps: FetchDeps) => {
  return async (call: FetchCall): Promise<FetchReply> => {
    const { platformVersion, whitelistedDomains = [] } = deps.project();
    if (!hasVerbs(platformVersion))
      throw refused(
        400,
        `request.${call.method} is not known to platform-version ${platformVersion}: declare a template in config/requests.json, and use request.invokeTemplate`,
      );
    const options = optionsOf(call.options);
    if (options.formData !== undefined) throw refused(415, "Unsupported content type");
    const sources = await sourcesOf(deps, call, {});
    const headers = headersOf(options.headers);

    const ready = (access: Partial<Access> = {}): Ready =>
      substituted(() => {
        // Where the address leads is known only once it is filled in: no setting may stand in it.
        const from = { ...sources.all(access), appSettings: {} };
        const url = checkedUrl(fill(call.url, "path", from), deps.egress);
        if (!isWhitelisted(url, whitelistedDomains, from)) throw refused(400, "This domain has not been whitelisted");
        const allowed = sources.at({ host: url.host }, access);
        const { body, contentType } = fetchBody(options, headers["content-type"] ?? "", allowed);
        return {
          method: call.method.toUpperCase(),
          url: url.href,
          headers: {
            ...(contentType === undefined ? {} : { "content-type": contentType }),
            ...Object.fromEntries(
              Object.entries(headers).map(([name, text]) => [name, fill(text, "headers", allowed)]),
            ),
          },
          ...(body === undefined ? {} : { body }),
        };
      });
    const { response, ...reply } = await deps.dispatch(call, options, ready);
    return { ...reply, response: readAs(response, options) };
  };
};
