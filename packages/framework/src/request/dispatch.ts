import type { OAuthConfig, OAuthIntegration, RequestReply, RequestTemplate } from "@parley/contract";
import { traceHeaders } from "@parley/telemetry";
import { EgressFailure, type Egress, type OutgoingReply, type EgressRequest } from "@parley/egress";
import {
  type OAuthAccess,
  type AccessTokens,
  refuseRequest,
  RequestRejected,
  type RequestCall,
} from "./request-method.ts";
import type { HostSettings } from "../environment/settings.ts";

const MINUTE_MS = 60_000;

/** -> whether the account may send one more request, which is counted */
export type MinuteRateLimit = (account: string) => boolean;

/** Fixed-window rate limit per account, with windows of one minute. @units `now` in milliseconds */
export const createMinuteRateLimit = (perMinute: number, now: () => number): MinuteRateLimit => {
  const windows = new Map<string, { readonly begun: number; used: number }>();
  return (account) => {
    const time = now();
    const current = windows.get(account);
    // A clock that was set back also starts a new window.
    const isOpen = current && time >= current.begun && time - current.begun < MINUTE_MS;
    const window = isOpen ? current : { begun: time, used: 0 };
    if (!isOpen) windows.set(account, window);
    window.used += 1;
    return window.used <= perMinute;
  };
};

interface DispatchDeps {
  readonly project: () => { readonly oauth?: OAuthConfig };
  readonly egress: Pick<Egress, "send">;
  readonly settings: HostSettings;
  readonly allow: MinuteRateLimit;
  readonly tokens: AccessTokens;
}

/** A request whose templates are filled in. */
export interface PreparedRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

/** Options of sending, and the encoding of the response body. */
type SendOptions = NonNullable<RequestTemplate["options"]> & Pick<EgressRequest, "replyEncoding">;

/** Fills in the request. Called again when the token was renewed. @errors RequestRejected */
type PrepareRequest = (access: OAuthAccess | undefined) => PreparedRequest;

/** @assumed A response whose content type is not textual is refused, as on other app hosts. */
const TEXT_CONTENT_TYPE =
  /^(?:text\/|application\/(?:[\w.-]+\+)?(?:json|xml|jsonp|javascript|x-www-form-urlencoded)\b)/i;

const isText = ({ headers, body }: OutgoingReply): boolean =>
  body === "" || TEXT_CONTENT_TYPE.test(headers["content-type"]?.trim() ?? "text/plain");

const integrationOf = ({ oauth }: SendOptions, config: OAuthConfig | undefined): [string, OAuthIntegration] => {
  const integrations = Object.entries(config?.integrations ?? {});
  const [first] = integrations;
  if (!first) refuseRequest(400, "OAuth config must have required property 'integrations'");
  const selected =
    oauth === undefined && integrations.length === 1 ? first : integrations.find(([name]) => name === oauth);
  if (selected) return selected;
  const names = integrations.map(([name]) => name).join(", ");
  refuseRequest(400, `options.oauth must name an integration of config/oauth_config.json: ${names}`);
};

/** Sends prepared requests: rate limit, OAuth token, egress and conversion of errors. */
export const createRequestDispatcher = (deps: DispatchDeps) => {
  const send = async (
    call: RequestCall,
    ready: PreparedRequest,
    sending: SendOptions,
    earlierAttempts = 0,
  ): Promise<OutgoingReply> => {
    const { settings } = deps;
    try {
      call.onSent?.({ method: ready.method, url: ready.url });
      const reply = await deps.egress.send({
        ...ready,
        ownHeaders: traceHeaders(),
        timeoutMs: sending.timeout === undefined ? settings.requestTimeoutMs : sending.timeout * 1_000,
        maxRequestBytes: settings.maxRequestBytes,
        maxResponseBytes: settings.maxResponseBytes,
        admitBody: call.admitBody,
        maxAttempts: sending.maxAttempts ?? 1,
        retryDelayMs: sending.retryDelay ?? 0,
        replyEncoding: sending.replyEncoding ?? "utf8",
      });
      return { ...reply, attempts: reply.attempts + earlierAttempts };
    } catch (error) {
      if (error instanceof EgressFailure) refuseRequest(error.code, error.message, error.attempts + earlierAttempts);
      throw error;
    }
  };

  /** Sends with an access token, and once more with a renewed token if the response is 401. */
  const sendWithToken = async (
    call: RequestCall,
    sending: SendOptions,
    fill: PrepareRequest,
  ): Promise<OutgoingReply> => {
    const [name, integration] = integrationOf(sending, deps.project().oauth);
    const owner = { name, integration, agent: call.agent };
    const access = await deps.tokens.find(owner);
    const reply = await send(call, fill(access), sending);
    if (reply.status !== 401) return reply;
    const newer = await deps.tokens.renew(owner, access);
    return newer ? send(call, fill(newer), sending, reply.attempts) : reply;
  };

  const countRequest = ({ installation }: RequestCall) => {
    if (!deps.allow(installation?.account ?? ""))
      refuseRequest(429, "Too many requests: the app's allowance is used up");
  };

  return {
    /** Sends for the request method: only textual responses, and a status of 400 and above is an error. @errors RequestRejected */
    dispatch: async (call: RequestCall, sending: SendOptions, fill: PrepareRequest): Promise<RequestReply> => {
      countRequest(call);
      // Public apps that name an integration in `oauth` omit `isOAuth`.
      const { isOAuth = sending.oauth !== undefined } = sending;
      const reply = await (isOAuth ? sendWithToken(call, sending, fill) : send(call, fill(undefined), sending));
      const { body, ...rest } = reply;
      if (!isText(reply)) refuseRequest(415, "Unsupported content type", reply.attempts);
      if (reply.status < 400) return { ...rest, response: body };
      throw new RequestRejected({ ...rest, response: body, errorSource: "APP" });
    },
    /** Returns any response, whatever its status. @errors RequestRejected if the request is not sent or not answered */
    sendOnce: async (
      call: RequestCall,
      ready: PreparedRequest,
      replyEncoding: "utf8" | "base64",
    ): Promise<OutgoingReply> => {
      countRequest(call);
      return send(call, ready, { replyEncoding });
    },
  };
};
export type RequestDispatcher = ReturnType<typeof createRequestDispatcher>;
export type DispatchRequest = RequestDispatcher["dispatch"];
