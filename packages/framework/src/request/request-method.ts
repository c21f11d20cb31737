import type { IparamValues, RequestFailure, RequestOptions, RequestReply } from "@parley/contract";
import type { Installation } from "../install/installations.ts";

/** Who asks: the app's handlers, its callbacks on the installation page, or what it shows to agents. */
export type Origin = "server" | "page" | "app";

/** One use of a template. */
export interface TemplateCall {
  readonly name: string;
  readonly options: RequestOptions;
  readonly origin: Origin;
  /** Its values fill the template, and its secure ones the headers. */
  readonly installation?: Installation | undefined;
  /** What a person typed on the installation page, secure ones too: they come before the installation's. */
  readonly values?: IparamValues | undefined;
}

export interface RequestMethod {
  /** @errors RequestRejected: a status of 400 and above, and every refusal */
  invokeTemplate(call: TemplateCall): Promise<RequestReply>;
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
