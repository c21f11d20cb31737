import type {
  OAuthIntegration,
  FetchMethod,
  FetchReply,
  IparamValues,
  RequestFailure,
  RequestOptions,
  RequestReply,
} from "@parley/contract";
import type { AppSettingValues } from "../state/app-settings.ts";
import type { Installation } from "../state/installations.ts";

/** The owner of an access token. */
export interface TokenOwner {
  /** Name of the integration. */
  readonly name: string;
  readonly integration: OAuthIntegration;
  /** Used only if tokens belong to agents. */
  readonly agent: string | undefined;
}

/** Values of an authorisation that requests may contain. */
export interface OAuthAccess {
  /** Allowed in headers only. */
  readonly accessToken: string;
  /** Parameters that were entered before the authorisation, without secure parameters. */
  readonly oauthIparams: Readonly<Record<string, string>>;
}

/** Access tokens for the request method. */
export interface AccessTokens {
  /** Returns a token, renewed if it is about to expire. @errors RequestRejected: 401 without an authorisation; 502 or 504 if the provider does not respond */
  find(owner: TokenOwner): Promise<OAuthAccess>;
  /**
   * Renews a token that was refused.
   * -> undefined if the provider issued no refresh token
   * @errors RequestRejected, as for `find`
   */
  renew(owner: TokenOwner, used: OAuthAccess): Promise<OAuthAccess | undefined>;
}

/** Origin of a call: the app's handlers, the callbacks of its installation page, or its pages in `app/`. */
type RequestOrigin = "server" | "page" | "app";

/** Origin of a request, and the values for its placeholders. */
export interface RequestCall {
  readonly origin: RequestOrigin;
  /** Its values fill the template, and its secure values the headers. */
  readonly installation?: Installation | undefined;
  /** Values of the form on the installation page, including secure values. They take precedence over the installation's. */
  readonly values?: IparamValues | undefined;
  /** Secure values that belong to `values`, if those contain open values only. */
  readonly secrets?: Readonly<Record<string, string>> | undefined;
  /** App settings that are about to be stored, used in place of the stored settings. */
  readonly appSettings?: AppSettingValues | undefined;
  /** Id of the agent who makes the call, for tokens that belong to agents. */
  readonly agent?: string | undefined;
  /** Called before the first attempt, with the request as it is sent. The URL contains no secure value. */
  readonly onSent?: ((sent: SentRequest) => void) | undefined;
  /** Waits until a large response may be read into memory. @units bytes at most */
  readonly admitBody?: ((bytes: number) => Promise<void>) | undefined;
}

/** Method and URL of a sent request, without headers and body. */
export interface SentRequest {
  readonly method: string;
  readonly url: string;
}

/** A call of `invokeTemplate`. */
export interface TemplateCall extends RequestCall {
  readonly name: string;
  readonly options: RequestOptions;
}

/** A call of `get`, `post`, `put`, `patch` or `delete`, in platform versions up to 2.2. `options` come from the app unvalidated. */
export interface FetchCall extends RequestCall {
  readonly method: FetchMethod;
  readonly url: string;
  readonly options: unknown;
}

/** A request that the app's code makes with an HTTP client of Node. It contains no placeholders. */
export interface DirectCall extends RequestCall {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** @shape base64 */
  readonly body?: string | undefined;
}

/** @shape headers: names in lower case; body: base64 */
export interface DirectReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly attempts: number;
}

export interface HostRequestMethod {
  /** @errors RequestRejected for a status of 400 and above, and for every refusal */
  invokeTemplate(call: TemplateCall): Promise<RequestReply>;
  /** @errors RequestRejected */
  fetch(call: FetchCall): Promise<FetchReply>;
  /** Sends a request to a host for which an admin has given consent. @errors RequestRejected for every refusal; a response of any status is returned */
  callDirectly(call: DirectCall): Promise<DirectReply>;
}

/** A failed request. `failure` is passed to the app. */
export class RequestRejected extends Error {
  override readonly name = "RequestRejected";
  readonly failure: RequestFailure;
  constructor(failure: RequestFailure) {
    super(failure.response);
    this.failure = failure;
  }
}

/** Refuses a request, or reports a failure before a response arrived. @errors RequestRejected */
export function refuseRequest(status: number, response: string, attempts = 0): never {
  throw new RequestRejected({ status, response, attempts, headers: {}, errorSource: "APP" });
}
