import type {
  FetchMethod,
  FetchReply,
  IparamValues,
  RequestFailure,
  RequestOptions,
  RequestReply,
} from "@parley/contract";
import type { AppSettingValues } from "../app-settings/app-settings.ts";
import type { Installation } from "../install/installations.ts";

/** Who asks: the app's handlers, its callbacks on the installation page, or what it shows to agents. */
export type Origin = "server" | "page" | "app";

/** On whose behalf a request is made, and what fills it in. */
export interface RequestCall {
  readonly origin: Origin;
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
  readonly onSent?: ((sent: Sent) => void) | undefined;
}

/** A request with everything filled in, without headers and body. */
export interface Sent {
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
export const refused = (status: number, response: string, attempts = 0): RequestRejected =>
  new RequestRejected({ status, response, attempts, headers: {}, errorSource: "APP" });
