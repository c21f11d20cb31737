import {
  ACCOUNT_NOT_FOUND,
  APP_NOT_FOUND,
  APP_VERSION_NOT_FOUND,
  appPackages,
  INTERNAL_SERVER_ERROR,
  INVALID_JSON,
  INVALID_VALUE,
  isRefusal,
  Refusal,
  matchesSchema,
  MISSING_PARAMETER,
  PACKAGE_BYTES_MAX,
  PACKAGE_TOO_LARGE,
  PAYLOAD_TOO_LARGE,
  refuse,
  routeOf,
  schemaErrors,
  UNSUPPORTED_MEDIA_TYPE,
  type Endpoint,
  type Problem,
} from "@parley/contract";
import type { Log } from "@parley/telemetry";
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Static, TSchema } from "typebox";
import type { HostPorts } from "../environment/ports.ts";
import { checkTexts } from "../pages/text-check.ts";
import { catalogueOf, catalogueVersionOf, publishedApps } from "./catalogue.ts";
import { offerApp, type Publisher } from "./publisher.ts";
import type { PackageStore } from "./store.ts";

interface PackageRoutesDeps {
  readonly publisher: Publisher;
  readonly store: PackageStore;
  readonly ports: HostPorts;
  /** Admits a request to a row, or refuses it. @shape account: of the path @errors Refusal */
  readonly authorize: (row: Endpoint, request: FastifyRequest, account?: string) => Promise<unknown>;
  readonly accountExists: (name: string) => Promise<boolean>;
  /** Address of the installation page of an app on an account; undefined if the account can't have an installation. */
  readonly pageOf?: (app: string, account: string) => string | undefined;
  /** Called after each change of the catalogue: its report can be sent. */
  readonly published?: () => void;
  readonly log: Log;
}

/** Maximum size of a JSON body: 10,000 names of accounts. @units bytes */
const JSON_BYTES_MAX = 1024 * 1024;
const ZIP = "application/zip";

/** @errors Refusal INVALID_VALUE | MISSING_PARAMETER that names the value */
const checked = <T extends TSchema>(schema: T, value: unknown, what: string): Static<T> => {
  if (matchesSchema(schema, value)) return value;
  const [first] = schemaErrors(schema, value);
  const missing = first?.rule === "required" ? first.properties.join(", ") : undefined;
  if (missing !== undefined) return refuse(MISSING_PARAMETER, `The ${what} lacks ${missing}.`);
  return refuse(INVALID_VALUE, `The ${what} is not valid: ${first?.pointer.slice(1) ?? ""} ${first?.message ?? ""}.`);
};

/** @errors Refusal INVALID_VALUE for an unknown parameter, which may be misspelt, or for a parameter that occurs twice */
const queryOf = <T extends TSchema & { readonly properties: object }>(schema: T, query: unknown): Static<T> => {
  for (const [name, value] of Object.entries(query ?? {})) {
    if (!Object.hasOwn(schema.properties, name))
      return refuse(
        INVALID_VALUE,
        `There is no parameter ${JSON.stringify(name)}. ` +
          `The parameters are ${Object.keys(schema.properties).join(", ")}.`,
      );
    if (Array.isArray(value)) return refuse(INVALID_VALUE, `The parameter ${name} occurs twice.`);
  }
  return checked(schema, query, "query");
};

const ACCOUNT_CHARACTERS_MAX = 63;

/** Names that are separated by commas. @errors Refusal INVALID_VALUE */
const accountsIn = (text: string): string[] => {
  const names = [...new Set(text.split(",").map((name) => name.trim()))];
  return names.every((name) => name !== "" && name.length <= ACCOUNT_CHARACTERS_MAX)
    ? names
    : refuse(
        INVALID_VALUE,
        "The parameter accounts takes names of accounts, separated by commas, such as acme,globex.",
      );
};

const mediaTypeMessage = (isZip: boolean): string =>
  isZip ? `The body must be a package: send it with 'Content-Type: ${ZIP}'.` : UNSUPPORTED_MEDIA_TYPE.message;

const problemOf = (error: FastifyError, isZip: boolean): { readonly problem: Problem; readonly message: string } => {
  if (isRefusal(error)) return { problem: error.problem, message: error.message };
  const tooLarge = isZip ? PACKAGE_TOO_LARGE : PAYLOAD_TOO_LARGE;
  switch (error.statusCode) {
    case 413:
      return { problem: tooLarge, message: tooLarge.message };
    case 415:
      return { problem: UNSUPPORTED_MEDIA_TYPE, message: mediaTypeMessage(isZip) };
    case 400:
      return { problem: isZip ? INVALID_VALUE : INVALID_JSON, message: isZip ? error.message : INVALID_JSON.message };
    default:
      return { problem: INTERNAL_SERVER_ERROR, message: INTERNAL_SERVER_ERROR.message };
  }
};

type RouteInput = Pick<FastifyRequest, "query" | "body" | "ip"> & { readonly params: Readonly<Record<string, string>> };

/** Serves the rows of packages: `routeOf(row)` is the path of each. */
export const packageRoutes = (scope: FastifyInstance, deps: PackageRoutesDeps): void => {
  const { publisher, store, ports, authorize, accountExists, log } = deps;

  const handlers: Record<keyof typeof appPackages, (input: RouteInput) => Promise<unknown>> = {
    async publishPackage({ query, body, ip }) {
      const { name, version, accounts } = queryOf(appPackages.publishPackage.query, query);
      if (!Buffer.isBuffer(body) || body.length === 0)
        return refuse(MISSING_PARAMETER, `The body is empty. Send the package, with 'Content-Type: ${ZIP}'.`);
      const offered = accounts === undefined ? undefined : accountsIn(accounts);
      return publisher.publish({ archive: body, name, version, accounts: offered, address: ip });
    },
    listPublishedApps: async () => ({ apps: await publishedApps(store) }),
    async changePublishedApp({ params: { name = "" }, body, ip }) {
      const { accounts } = checked(appPackages.changePublishedApp.body, body ?? {}, "body");
      const names = accounts && [...new Set(accounts)];
      await store.change(async (changes) => {
        if (!(await changes.isPublished(name)))
          refuse(APP_NOT_FOUND, `There is no published app ${JSON.stringify(name)}.`);
        await offerApp(changes, { name, accounts: names, address: ip }, ports);
      });
      const [app] = await publishedApps(store, name);
      return app;
    },
    async listCatalogue({ params: { account = "" } }) {
      if (!(await accountExists(account))) refuse(ACCOUNT_NOT_FOUND);
      const apps = await catalogueOf(store, account);
      return {
        apps: apps.map((app) => {
          const page = deps.pageOf?.(app.name, account);
          return page === undefined ? app : { ...app, page };
        }),
      };
    },
    async getCatalogueVersion({ params: { account = "", name = "", version = "" } }) {
      if ((await store.newestVersion(name, account)) === undefined) refuse(APP_NOT_FOUND);
      const found = (await store.version(name, version)) ?? refuse(APP_VERSION_NOT_FOUND);
      return catalogueVersionOf(found);
    },
  };

  void scope.register(async (routes) => {
    routes.removeAllContentTypeParsers();
    routes.addContentTypeParser(ZIP, { parseAs: "buffer" }, (_request, body, done) => done(null, body));
    routes.addContentTypeParser("application/json", { parseAs: "string" }, (_request, body, done) => {
      try {
        done(null, body === "" ? undefined : JSON.parse(String(body)));
      } catch {
        done(new Refusal(INVALID_JSON));
      }
    });
    for (const [name, row] of Object.entries(appPackages) as [keyof typeof appPackages, Endpoint][]) {
      const { method, path } = routeOf(row);
      const isZip = row.bodyType === ZIP;
      const accepted = isZip ? ZIP : "application/json";
      routes.route<{ Params: Record<string, string> }>({
        method,
        url: path.replace(/\{(\w+)\}/g, ":$1"),
        bodyLimit: isZip ? PACKAGE_BYTES_MAX : JSON_BYTES_MAX,
        // Before the body is read.
        onRequest: async (request: FastifyRequest) => {
          const { account } = request.params as { readonly account?: string };
          await authorize(row, request, account);
        },
        preParsing: async (request: FastifyRequest) => {
          const type = request.headers["content-type"]?.split(";")[0]?.trim().toLowerCase();
          const hasBody = Number(request.headers["content-length"] ?? 0) > 0 || request.headers["transfer-encoding"];
          const isRead = isZip || row.body !== undefined;
          if (isRead && hasBody && type !== accepted) refuse(UNSUPPORTED_MEDIA_TYPE, mediaTypeMessage(isZip));
        },
        preValidation: checkTexts,
        errorHandler: (error: FastifyError, request: FastifyRequest, reply: FastifyReply) => {
          const { problem, message } = problemOf(error, isZip);
          if (problem === INTERNAL_SERVER_ERROR)
            log(`${request.method} ${path}: ${error.stack ?? error.message}`, { level: "error" });
          const { code, status } = problem;
          if (code === 401) void reply.header("www-authenticate", "Bearer");
          if (isRefusal(error) && error.retryAfter !== undefined) void reply.header("retry-after", error.retryAfter);
          void reply.code(code).send({ code, status, message });
        },
        handler: async (request, reply) => {
          const { params, query, body, ip } = request;
          void reply.code(row.reply.code).header("cache-control", "no-store");
          const answer = await handlers[name]({ params, query, body, ip });
          if (request.method !== "GET") deps.published?.();
          return answer;
        },
      });
    }
  });
};
