import {
  LIMITS,
  MESSENGER_BUTTON_TEXTS,
  MessengerConfiguration,
  messengerConfiguration,
  messengerLanguageOf,
  type MessengerConfiguration as Configuration,
} from "@parley/contract";
import { createTimeZoneCache, shownLook } from "@parley/contract/display";
import { createTtlCache } from "../../base/concurrency/ttl-cache.ts";
import type { Ports } from "../../base/environment/ports.ts";
import { defineRoutes, rawJson } from "../../http/route-handlers.ts";
import { serializerOf } from "../../http/serializer.ts";
import { openStateAt } from "../../messaging/business-hours/opening-hours.ts";
import type { BusinessHoursStore } from "../../messaging/business-hours/store.ts";
import type { LocalizedChannel } from "../../messaging/directory/store.ts";
import type { Embedding } from "../embedding/embedding.ts";
import type { EmbeddableAccount } from "../embedding/store.ts";
import { localized, topicsOfPage, type Topics } from "./topics.ts";

interface ConfigurationDeps {
  readonly embedding: Pick<Embedding, "hasAlias">;
  readonly topics: Topics;
  readonly hours: BusinessHoursStore;
  readonly ports: Pick<Ports, "now" | "monotonicMs">;
  /** Median time to the first response; undefined without enough measurements. @units milliseconds */
  readonly typicalResponse: (accountId: number) => Promise<number | undefined>;
  /** Renews expired addresses of uploads. */
  readonly resignUrls: (text: string, accountId: number, origin: string) => string;
}

/** Lifetime of a cached response time, which changes slowly. @units milliseconds */
const RESPONSE_TIME_TTL_MS = 5 * 60_000;
const MINUTE_MS = 60_000;

const configurationJson = serializerOf(MessengerConfiguration);

/** `acme-shop` -> `Acme Shop` @assumed An account has no other name. */
const businessNameOf = (account: string): string =>
  account.replace(/-+/g, " ").replace(/(^| )./g, (letter) => letter.toUpperCase());

const listOf = (text = ""): readonly string[] => text.split(",").map((each) => each.trim());

const topicOf = ({ id, name, icon, tags, welcome_message }: LocalizedChannel): Configuration["topics"][number] => ({
  id,
  name,
  icon,
  tags,
  ...(welcome_message && { welcome_message: { message_parts: welcome_message.message_parts } }),
});

/** What a page asks for. @shape as the query of the endpoint */
interface ConfigurationQuery {
  readonly alias?: string | undefined;
  readonly locale?: string | undefined;
  readonly tags?: string | undefined;
}
/** -> the configuration of an account as JSON. @shape origin: of the service's addresses */
export type ReadConfiguration = (
  account: EmbeddableAccount,
  query: ConfigurationQuery,
  origin: string,
) => Promise<string>;

export const createConfigurationReader = ({
  embedding,
  topics,
  hours,
  ports,
  typicalResponse,
  resignUrls,
}: ConfigurationDeps) => {
  const zone = createTimeZoneCache();
  const hoursOf = createTtlCache((accountId) => hours.of(accountId, undefined), ports);
  const responseOf = createTtlCache(typicalResponse, ports, RESPONSE_TIME_TTL_MS);
  const openingOf = async (accountId: number): Promise<Pick<Configuration, "is_open" | "opens_at">> => {
    const found = await hoursOf.get(accountId);
    if (!found) return { is_open: true };
    const { isOpen, until } = openStateAt(found, zone(found.timezone), ports.now().getTime());
    return { is_open: isOpen, ...(!isOpen && until !== undefined && { opens_at: new Date(until).toISOString() }) };
  };

  const read: ReadConfiguration = async (account, query, origin) => {
    const { id, name, primary_locale, look, privacy, signed_identity } = account;
    const [tags, locales] = [listOf(query.tags), listOf(query.locale)];
    const shown = localized(topicsOfPage(await topics.of(id), tags), locales, primary_locale);
    const responseMs = await responseOf.get(id);
    const reply: Configuration = {
      account: name,
      account_name: businessNameOf(name),
      ...(query.alias !== undefined && { is_alias_known: await embedding.hasAlias(account, query.alias) }),
      locale: shown.find(({ locale }) => locale !== primary_locale)?.locale ?? primary_locale,
      button: MESSENGER_BUTTON_TEXTS[locales.map(messengerLanguageOf).find(Boolean) ?? "en"],
      topics: shown.map(topicOf),
      ...(await openingOf(id)),
      look: shownLook(look, locales, primary_locale),
      privacy,
      ...(responseMs !== undefined && { response_minutes: Math.max(1, Math.round(responseMs / MINUTE_MS)) }),
      signed_identity,
      file_bytes: LIMITS.file_bytes,
      image_bytes: LIMITS.image_bytes,
    };
    // The request has no caller, whose account the addresses of uploads would be renewed for.
    return resignUrls(configurationJson(reply), id, origin);
  };
  return { read, forget: hoursOf.invalidate };
};

export const configurationRoutes = (embedding: Pick<Embedding, "admit">, read: ReadConfiguration) =>
  defineRoutes(messengerConfiguration, {
    async getMessengerConfiguration({ query, request, setHeader }) {
      const json = await read(await embedding.admit(request, query), query, request.origin);
      setHeader("Cache-Control", "no-cache");
      return rawJson(json);
    },
  });
