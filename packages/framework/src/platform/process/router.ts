import type { IncomingMessage, ServerResponse } from "node:http";
import { TARGETS_PATH } from "../../runtime/targets/route.ts";
import type { RecordOwner } from "../../runtime/records/store.ts";
import type { AppUnit } from "../../unit/app-unit.ts";
import { requestVersionOf } from "./request-version.ts";
import type { PlatformRuntime } from "./runtime.ts";
import type { RequestHandler } from "./server.ts";

/** What answers a request: a site of an app, or routes of the platform itself. */
export type RequestTarget =
  | { readonly unit: AppUnit }
  | { readonly handle: RequestHandler }
  | { readonly refusal: { readonly status: number; readonly message: string } };

interface RouterDeps {
  readonly runtime: Pick<PlatformRuntime, "unitOf" | "leases" | "forwarding" | "gate">;
  /** Finds what answers a request by its host name and path. */
  readonly targetOf: (request: IncomingMessage) => Promise<RequestTarget>;
  readonly log: (line: string) => void;
}

const refuse = (response: ServerResponse, status: number, message: string): void => {
  if (response.headersSent) return void response.destroy();
  response.writeHead(status, { "content-type": "application/json; charset=utf-8", "cache-control": "no-store" });
  response.end(JSON.stringify({ message }));
};

/** Requests that may run the app's code, or need what the process that runs it has in memory. Others are answered by any process. */
const needsHolder = ({ method, url = "/" }: IncomingMessage): boolean =>
  !["GET", "HEAD"].includes(method ?? "GET") ||
  /^\/(?:admin|auth|oauth)\//.test(url) ||
  url.startsWith(`${TARGETS_PATH}/`);

/**
 * Answers the requests of a platform process: by the site of an app in this process, or by the process that holds the installation. A request
 * that another process passed on is answered here.
 */
export const createRequestRouter = ({ runtime, targetOf, log }: RouterDeps) => {
  const { leases, forwarding } = runtime;

  const answerByUnit = async (
    unit: AppUnit,
    request: IncomingMessage,
    response: ServerResponse,
    isForwarded: boolean,
  ): Promise<void> => {
    if (!isForwarded && needsHolder(request)) {
      const installation = await unit.engine.installations.find();
      const holder = installation && (await leases.otherHolder(installation.id));
      if (holder) return forwarding.forward(request, response, { address: holder.address, owner: unit.engine.owner });
    }
    (await unit.site()).handle(request, response);
  };

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    await runtime.gate.pass();
    const target = await targetOf(request);
    if ("refusal" in target) return refuse(response, target.refusal.status, target.refusal.message);
    if ("handle" in target) return target.handle(request, response);
    return answerByUnit(target.unit, request, response, false);
  };

  const answerForwarded = async (
    owner: RecordOwner,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> => {
    await runtime.gate.pass();
    const unit = (await runtime.unitOf(owner, requestVersionOf(request)?.version)) ?? (await runtime.unitOf(owner));
    if (!unit) return refuse(response, 404, "This app is not installed here.");
    return answerByUnit(unit, request, response, true);
  };

  const guarded = (work: Promise<void>, request: IncomingMessage, response: ServerResponse): void => {
    work.catch((error: unknown) => {
      log(`error: ${request.method ?? ""} ${request.url?.split("?", 1)[0] ?? ""} failed: ${String(error)}`);
      refuse(response, 500, "The platform failed; its log says why.");
    });
  };

  return {
    /** Requests of browsers, of the service and of integrations. */
    handle: ((request, response) => guarded(answer(request, response), request, response)) satisfies RequestHandler,
    /** Requests that other processes of the platform pass on. */
    handleForwarded: ((request, response) => {
      const owner = forwarding.ownerOf(request);
      if (!owner) return refuse(response, 403, "Only other processes of this platform may ask this.");
      guarded(answerForwarded(owner, request, response), request, response);
    }) satisfies RequestHandler,
  };
};
