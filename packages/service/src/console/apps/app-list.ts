import { appPlaces, routeOf, schemaErrors, urlOf, type ConsoleApp } from "@parley/contract";
import type { Db } from "@parley/database";
import { signWebhook, webhookSecret, type Egress } from "@parley/egress";
import { failureText, type Log } from "@parley/telemetry";
import { appAddresses } from "../../events/dispatch/index.ts";
import type { Ports } from "../../base/environment/ports.ts";
import type { CallerAccount } from "../../http/route-handlers.ts";
import { createAppPageAddressOf } from "../../identity/sign-in/app-page-address.ts";

/** The apps of accounts that have pages for the console. */
interface ConsoleApps {
  /** In the order of their titles. May be stale by some seconds. */
  list(account: Pick<CallerAccount, "id" | "name">): Promise<ConsoleAppList>;
}

interface ConsoleAppList {
  readonly apps: readonly ConsoleApp[];
  /** false: a platform did not answer, and its apps are missing. */
  readonly isComplete: boolean;
}

export interface ConsoleAppsDeps {
  /** Finds the platforms: their origins are those of the addresses at which apps receive events. */
  readonly pool: Db;
  /** The guard of requests to the platform. */
  readonly egress: Pick<Egress, "send">;
  /** Origin below which apps have host names; that of a local platform when absent. */
  readonly appsUrl?: string | undefined;
  /** Signs the requests; absent: the installation has no platform. */
  readonly adminKey: string | undefined;
  readonly ports: Pick<Ports, "now" | "monotonicMs" | "newId">;
  readonly log: Log;
}

/** Lifetime of a list, and of one in which the apps of a platform are missing. @units milliseconds */
const LIST_TTL_MS = { complete: 5_000, incomplete: 1_000 };
/** Kept lists. Beyond it the oldest is dropped. */
const KEPT_LISTS_MAX = 1_000;
/** Platforms of an account that are asked: one for each app that is read from a folder, and one for all others. */
const PLATFORMS_MAX = 8;
/** @units milliseconds */
const ANSWER_TIMEOUT_MS = 1_500;
/** Icons are part of it. @units bytes */
const ANSWER_BYTES_MAX = 8 * 1_048_576;

/** Page of an app that is read from a folder on this machine. */
const LIVE_APP_ORIGIN = /^http:\/\/app-[a-z0-9-]{1,59}\.localhost:\d{1,5}$/;

const ROW = appPlaces.listAppPlaces;

const collator = new Intl.Collator("en");

export const createConsoleApps = ({ pool, egress, appsUrl, adminKey, ports, log }: ConsoleAppsDeps): ConsoleApps => {
  const kept = new Map<number, { readonly list: Promise<ConsoleAppList>; validUntilMs: number }>();
  const addressesOf = appAddresses(pool);
  const appPageAddressOf = createAppPageAddressOf(appsUrl);
  /** The receiver of events is not necessarily the platform: an agent's browser embeds pages of apps only. */
  const isAppOrigin = (origin: string): boolean =>
    appPageAddressOf(origin)?.origin === origin || LIVE_APP_ORIGIN.test(origin);
  /** Platforms whose failure is logged. */
  const failing = new Set<string>();

  const ask = async (origin: string, account: string, key: string): Promise<readonly ConsoleApp[]> => {
    const { method, path } = routeOf(ROW);
    const target = path.replace("{account}", encodeURIComponent(account));
    const timestampSeconds = Math.floor(ports.now().getTime() / 1_000);
    const secret = webhookSecret(Buffer.from(key));
    // The key itself is not sent: an address of a subscription is not necessarily the platform's.
    const headers = signWebhook({ id: ports.newId(), timestampSeconds, body: `${method} ${target}`, secret });
    const limits = { timeoutMs: ANSWER_TIMEOUT_MS, maxRequestBytes: 0, maxResponseBytes: ANSWER_BYTES_MAX };
    const { status, body } = await egress.send({ method, url: origin + target, headers, ...limits });
    if (status !== 200) throw new Error(`it answered ${status}`);
    const answer = JSON.parse(body) as { readonly apps: readonly ConsoleApp[] };
    if (schemaErrors(ROW.reply.body, answer).length > 0) throw new Error("its answer has another form");
    return answer.apps.filter((app) => isAppOrigin(app.origin));
  };
  /** -> undefined if the platform does not answer */
  const askOrNone = async (
    origin: string,
    account: string,
    key: string,
  ): Promise<readonly ConsoleApp[] | undefined> => {
    try {
      const apps = await ask(origin, account, key);
      if (failing.delete(origin)) log(`the platform at ${origin} lists apps again`, { part: "console" });
      return apps;
    } catch (error) {
      if (!failing.has(origin))
        log(`the platform at ${origin} lists no apps: ${failureText(error)}`, { level: "error", part: "console" });
      failing.add(origin);
      return undefined;
    }
  };
  const load = async ({ id, name }: Pick<CallerAccount, "id" | "name">): Promise<ConsoleAppList> => {
    if (adminKey === undefined) return { apps: [], isComplete: true };
    const addresses = await addressesOf(id);
    const origins = [...new Set(addresses.flatMap((address) => urlOf(address)?.origin ?? []))].slice(0, PLATFORMS_MAX);
    const lists = await Promise.all(origins.map((origin) => askOrNone(origin, name, adminKey)));
    const byName = new Map(lists.flatMap((list) => list ?? []).map((app) => [app.name, app]));
    return {
      apps: [...byName.values()].sort((one, other) => collator.compare(one.title, other.title)),
      isComplete: !lists.includes(undefined),
    };
  };

  return {
    list(account) {
      const known = kept.get(account.id);
      if (known && known.validUntilMs > ports.monotonicMs()) return known.list;
      const entry = { list: load(account), validUntilMs: ports.monotonicMs() + LIST_TTL_MS.complete };
      kept.delete(account.id);
      kept.set(account.id, entry);
      entry.list.then(
        ({ isComplete }) => {
          if (!isComplete) entry.validUntilMs = ports.monotonicMs() + LIST_TTL_MS.incomplete;
        },
        () => {
          if (kept.get(account.id) === entry) kept.delete(account.id);
        },
      );
      const [oldest] = kept.keys();
      if (kept.size > KEPT_LISTS_MAX && oldest !== undefined) kept.delete(oldest);
      return entry.list;
    },
  };
};
