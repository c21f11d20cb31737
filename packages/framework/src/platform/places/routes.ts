import { appPlaces } from "@parley/contract";
import { verifyWebhook, webhookSecret } from "@parley/egress";
import type { Log } from "@parley/telemetry";
import type { FastifyInstance } from "fastify";
import { refusalErrorHandler, serveRows, type AuthorizeRow } from "../api/serve-rows.ts";
import type { ListConsoleApps } from "./console-app.ts";

interface PlacesRouteDeps {
  readonly list: ListConsoleApps;
  readonly adminKey: string;
  /** Admits requests that the service has not signed. */
  readonly authorize: AuthorizeRow;
  readonly now: () => Date;
  readonly log: Log;
}

/**
 * The places of an account's apps, for the service. It signs its request as it signs events, with the admin key as the secret: it finds the
 * platform by the addresses of subscriptions, to which it would not send the key itself.
 */
export const placesRoute = async (
  app: FastifyInstance,
  { list, adminKey, authorize, now, log }: PlacesRouteDeps,
): Promise<void> => {
  const secret = webhookSecret(Buffer.from(adminKey));
  await app.register(async (scope) => {
    scope.setErrorHandler(refusalErrorHandler(log));
    serveRows(
      scope,
      appPlaces,
      { listAppPlaces: async ({ params }) => ({ apps: [...(await list(params.account))] }) },
      {
        authorize: async (row, request, account) => {
          const { headers, method, url } = request;
          const nowSeconds = Math.floor(now().getTime() / 1_000);
          const isSigned = verifyWebhook({ headers, body: `${method} ${url}`, secret, nowSeconds });
          return isSigned ? { address: request.ip } : authorize(row, request, account);
        },
      },
    );
  });
};
