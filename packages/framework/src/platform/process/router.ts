import { isUnavailable } from "@parley/database";
import { isValidHost } from "@parley/ingress";
import { failureText, type Log } from "@parley/telemetry";
import type { IncomingMessage, ServerResponse } from "node:http";
import { DATABASE_UNAVAILABLE } from "../../state/db/unavailable.ts";
import { EVENTS_PATH } from "../../runtime/triggers/service-events.ts";
import { TARGETS_PATH } from "../../runtime/triggers/targets.ts";
import type { RecordOwner } from "../../state/records.sql.ts";
import type { AppUnit } from "../../unit/app-unit.ts";
import { requestVersionOf } from "./request-version.ts";
import type { PlatformRuntime } from "./runtime.ts";
import type { RequestHandler } from "./server.ts";

/** Target of a request: a site of an app, or routes of the platform itself. @shape installation: its id, if the request names it */
export type RequestDestination =
  | { readonly unit: AppUnit; readonly installation?: string }
  | { readonly handle: RequestHandler }
  | { readonly refusal: { readonly status: number; readonly message: string } };

/** Receives an event of the installation that a unit runs. */
export type UnitEventHandler = (unit: AppUnit, request: IncomingMessage, response: ServerResponse) => void;

interface RouterDeps {
  readonly runtime: Pick<PlatformRuntime, "unitOf" | "leases" | "forwarding" | "gate" | "observeRequest">;
  /** Finds what answers a request by its host name and path. */
  readonly destinationOf: (request: IncomingMessage) => Promise<RequestDestination>;
  /** Receivers of the events of installations, without their sites: most installations only receive events. */
  readonly events?: () => UnitEventHandler | undefined;
  readonly log: Log;
}

const HTML_ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };
const escaped = (text: string): string => text.replace(/[&<>]/g, (character) => HTML_ENTITIES[character] ?? "");

/** A page for a person who opens an address that belongs to no app. */
const refusalPage = (message: string): string =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">` +
  `<meta name="color-scheme" content="light dark"><title>This page can’t be opened</title>` +
  `<h1>This page can’t be opened</h1><p>${escaped(message)}</p></html>`;

const sendRefusal = (request: IncomingMessage, response: ServerResponse, status: number, message: string): void => {
  if (response.headersSent) return void response.destroy();
  const isPage = request.method === "GET" && (request.headers.accept ?? "").includes("text/html");
  response.writeHead(status, {
    "content-type": isPage ? "text/html; charset=utf-8" : "application/json; charset=utf-8",
    "cache-control": "no-store",
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  });
  response.end(isPage ? refusalPage(message) : JSON.stringify({ message }));
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
export const createRequestRouter = ({ runtime, destinationOf, events, log }: RouterDeps) => {
  const { leases, forwarding } = runtime;

  const answerByUnit = async (
    { unit, installation }: { readonly unit: AppUnit; readonly installation?: string },
    request: IncomingMessage,
    response: ServerResponse,
    isForwarded: boolean,
  ): Promise<void> => {
    if (!isForwarded && needsHolder(request)) {
      const id = installation ?? (await unit.engine.installations.find())?.id;
      const holder = id === undefined ? undefined : await leases.otherHolder(id);
      if (holder) return forwarding.forward(request, response, { address: holder.address, owner: unit.engine.owner });
    }
    const receive = request.url?.startsWith(`${EVENTS_PATH}/`) ? events?.() : undefined;
    if (receive) return receive(unit, request, response);
    (await unit.site()).handle(request, response);
  };

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (request.headers.host !== undefined && !isValidHost(request.headers.host))
      return sendRefusal(request, response, 400, "The Host header is not valid.");
    // A browser sends this header with the request for the script of a service worker only. A worker would serve an old version of the app after an upgrade.
    if (request.headers["service-worker"] !== undefined)
      return sendRefusal(request, response, 403, "Pages of apps can't register service workers.");
    await runtime.gate.pass();
    const destination = await destinationOf(request);
    if ("refusal" in destination)
      return sendRefusal(request, response, destination.refusal.status, destination.refusal.message);
    if ("handle" in destination) return destination.handle(request, response);
    return answerByUnit(destination, request, response, false);
  };

  const answerForwarded = async (
    owner: RecordOwner,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> => {
    await runtime.gate.pass();
    const unit = (await runtime.unitOf(owner, requestVersionOf(request)?.version)) ?? (await runtime.unitOf(owner));
    if (!unit) return sendRefusal(request, response, 404, "This app is not installed here.");
    return answerByUnit({ unit }, request, response, true);
  };

  const guarded = (work: Promise<void>, request: IncomingMessage, response: ServerResponse): void => {
    work.catch((error: unknown) => {
      if (isUnavailable(error)) {
        const { retryAfterSeconds, message } = DATABASE_UNAVAILABLE;
        if (!response.headersSent) response.setHeader("retry-after", retryAfterSeconds);
        return sendRefusal(request, response, 503, message);
      }
      log(`${request.method ?? ""} ${request.url?.split("?", 1)[0] ?? ""} failed: ${failureText(error)}`, {
        level: "error",
      });
      return sendRefusal(request, response, 500, "The platform failed; its log says why.");
    });
  };

  return {
    /** Requests of browsers, of the service and of integrations. */
    handle: ((request, response) => {
      runtime.observeRequest(request, response);
      guarded(answer(request, response), request, response);
    }) satisfies RequestHandler,
    /** Requests that other processes of the platform pass on. */
    handleForwarded: ((request, response) => {
      const owner = forwarding.ownerOf(request);
      if (!owner) return sendRefusal(request, response, 403, "Only other processes of this platform may ask this.");
      guarded(answerForwarded(owner, request, response), request, response);
    }) satisfies RequestHandler,
  };
};
