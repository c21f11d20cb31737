import type {
  OAuthIntegration,
  FetchMethod,
  FetchReply,
  IparamValues,
  RequestFailure,
  RequestOptions,
  RequestReply,
} from "@parley/contract";
import type { AppSettingValues } from "../installation/app-settings.ts";
import type { Installation } from "../installation/installations.ts";

/** Whose token is asked for. */
export interface TokenOwner {
  /** Of the integration. */
  readonly name: string;
  readonly integration: OAuthIntegration;
  /** The app's installation; undefined before there is one. */
  readonly account: string | undefined;
  /** Counts for tokens of an agent only. */
  readonly agent: string | undefined;
}

/** What a request may use of an authorisation. */
export interface OAuthAccess {
  /** For headers only. */
  readonly accessToken: string;
  /** Given before the authorisation, without secure ones. */
  readonly oauthIparams: Readonly<Record<string, string>>;
}

/** Tokens for the request method. */
export interface AccessTokens {
  /** Renewed before it ends. @errors RequestRejected: 401 without an authorisation, 502 and 504 where the provider doesn't answer */
  find(whose: TokenOwner): Promise<OAuthAccess>;
  /**
   * A newer one than `used`, which was refused.
   * -> undefined where the provider gave nothing to renew it with
   * @errors RequestRejected, as `find`
   */
  renew(whose: TokenOwner, used: OAuthAccess): Promise<OAuthAccess | undefined>;
}

/** Who asks: the app's handlers, its callbacks on the installation page, or what it shows to agents. */
type RequestOrigin = "server" | "page" | "app";

/** On whose behalf a request is made, and what fills it in. */
export interface RequestCall {
  readonly origin: RequestOrigin;
  /** Its values fill the template, and its secure ones the headers. */
  readonly installation?: Installation | undefined;
  /** What a person typed on the installation page, secure ones too: they come before the installation's. */
  readonly values?: IparamValues | undefined;
  /** Secure ones that came along with `values`, where those hold open ones only. */
  readonly secrets?: Readonly<Record<string, string>> | undefined;
  /** App settings that are about to be stored, in place of those that are. */
  readonly appSettings?: AppSettingValues | undefined;
  /** Agent who asks, where one does: for tokens that belong to an agent. */
  readonly agent?: string | undefined;
  /** Told of the request as it is made, before the first attempt; no secure value is in it. */
  readonly onSent?: ((sent: SentRequest) => void) | undefined;
}

/** A request with everything filled in, without headers and body. */
export interface SentRequest {
  readonly method: string;
  readonly url: string;
}

/** One use of a template. */
export interface TemplateCall extends RequestCall {
  readonly name: string;
  readonly options: RequestOptions;
}

/** One use of a verb, as platform-versions up to 2.2 have it; `options` come from the app and may be anything. */
export interface FetchCall extends RequestCall {
  readonly method: FetchMethod;
  readonly url: string;
  readonly options: unknown;
}

/** A call of the app's own code, by a client of Node's: nothing of it is filled in. */
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

export interface RequestMethod {
  /** @errors RequestRejected: a status of 400 and above, and every refusal */
  invokeTemplate(call: TemplateCall): Promise<RequestReply>;
  /** @errors RequestRejected */
  fetch(call: FetchCall): Promise<FetchReply>;
  /** Sends to a host that an admin has agreed to, and to no other. @errors RequestRejected: for every refusal; any status is an answer */
  callDirectly(call: DirectCall): Promise<DirectReply>;
}

/** A request that failed; `failure` is what the app gets to see. */
export class RequestRejected extends Error {
  override readonly name = "RequestRejected";
  readonly failure: RequestFailure;
  constructor(failure: RequestFailure) {
    super(failure.response);
    this.failure = failure;
  }
}

/** A refusal, or a failure before there is an answer. */
export const requestRejected = (status: number, response: string, attempts = 0): RequestRejected =>
  new RequestRejected({ status, response, attempts, headers: {}, errorSource: "APP" });
