import { expect, test } from "@jest/globals";
import type { Channel } from "@parley/contract";
import { statement } from "@parley/database";
import { SERVICE_SCHEMA } from "../../../src/index.ts";
import { serviceHarness } from "../../service-harness.ts";
import { fileFixture } from "../../../../../test/support/file-fixture.ts";

const w = fileFixture(serviceHarness);

const names = (items: readonly { readonly name: string }[]) => items.map(({ name }) => name);

test("GET /channels answers 200 with the topics of the primary language, without the locale attribute", async () => {
  const { channels, pagination } = await w.client.channels.listChannels();
  expect(names(channels)).toEqual([
    "Inbox",
    "Sales",
    "Support",
    "Billing",
    "Returns",
    "Trade customers",
    "Holiday orders",
  ]);
  expect(channels.filter((channel) => "locale" in channel)).toEqual([]);
  expect(channels.map((channel) => channel.public)).toEqual([true, true, true, true, true, false, true]);
  expect(channels.map((channel) => channel.enabled)).toEqual([true, true, true, true, true, true, false]);
  expect(pagination).toEqual({ total_items: 7, total_pages: 1, current_page: 1, items_per_page: 10 });
});

test("GET /channels answers 200 with the same ids in the requested locale, and the locale attribute", async () => {
  const [english, spanish] = await Promise.all([
    w.client.channels.listChannels(),
    w.client.channels.listChannels({ query: { locale: "ES" } }),
  ]);
  expect(spanish.channels.map(({ name, locale }) => [name, locale])).toEqual([
    ["Bandeja de entrada", "es"],
    ["Ventas", "es"],
    ["Soporte", "es"],
  ]);
  expect(spanish.channels.map(({ id }) => id)).toEqual(english.channels.slice(0, 3).map(({ id }) => id));
});

test.each(["es-MX", "es_419", "ES-es-x-local"])(
  "GET /channels?locale=%s answers 200 with the texts of the language",
  async (locale) => {
    const { channels } = await w.client.channels.listChannels({ query: { locale } });
    expect(names(channels)).toEqual(["Bandeja de entrada", "Ventas", "Soporte"]);
    for (const channel of channels) expect(channel.locale).toBe("es");
  },
);

test("GET /channels?locale= prefers the texts of the region for each topic, and shows no other region", async () => {
  const pool = w.database.pool(SERVICE_SCHEMA, { max: 1 });
  const regional = `insert into channels
    select (jsonb_populate_record(c, jsonb_build_object('locale', 'es-MX', 'name', 'Compras',
             'body', (c.body::jsonb || '{"name":"Compras","locale":"es-MX"}')::text))).* from channels c where c.name = 'Ventas'`;
  await pool.rows(statement("", regional), []);
  const shown = async (locale: string) => names((await w.client.channels.listChannels({ query: { locale } })).channels);
  expect(await shown("es-MX")).toEqual(["Bandeja de entrada", "Compras", "Soporte"]);
  for (const locale of ["es", "es-AR"])
    expect(await shown(locale)).toEqual(["Bandeja de entrada", "Ventas", "Soporte"]);
  await pool.rows(statement("", "delete from channels where locale = 'es-MX'"), []);
  await pool.end();
});

test("GET /channels answers 200 with an empty list for a language without content", async () => {
  const { channels, pagination, links } = await w.client.channels.listChannels({ query: { locale: "fr" } });
  expect([channels, links]).toEqual([[], {}]);
  expect(pagination).toMatchObject({ total_items: 0, total_pages: 0 });
});

test.each(["fr", "EN", "xx", "%27%27", "e%20n", "fr-es"])(
  "GET /channels?locale=%s has the attribute, or no topic",
  async (locale) => {
    const reply = await w.raw("GET", `/v2/channels?locale=${locale}`);
    const { channels } = (await reply.json()) as { channels: Channel[] };
    expect(reply.status).toBe(200);
    expect(channels.map((channel) => channel.locale)).toEqual(locale === "EN" ? Array(7).fill("en") : []);
  },
);
