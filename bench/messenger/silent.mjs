/** Visitors who load pages with the messenger and never open it: what they cost the service and the database. */
import { mkdtemp, rm } from "node:fs/promises";
import { Agent, createServer, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import pg from "pg";
import { launch } from "../console/browser.mjs";
import { memoryOf, startServer } from "../processes.mjs";

const VISITORS = 20_000;
const ACCOUNTS = 50;
const CONNECTIONS = 64;
/** One visitor in so many has an old copy of the script, and asks whether it has changed. */
const RETURNING = 10;
/** PostgreSQL's processes report their counters ten seconds after they have become idle, at the latest. @units milliseconds */
const COUNTERS_MS = 11_000;

const COUNTERS = `select (select sum(n_tup_ins + n_tup_upd + n_tup_del) from pg_stat_user_tables)::float as rows,
  (select xact_commit from pg_stat_database where datname = current_database())::float as transactions,
  (select sum((pg_stat_get_backend_wal(pid)).wal_bytes) from pg_stat_activity
    where backend_type = 'client backend' and datname = current_database())::float as wal`;

/** Runs work between two reads of the counters. -> the differences @units wal: bytes */
const countersOf = async (database, work) => {
  const read = async () => {
    await wait(COUNTERS_MS);
    const { rows } = await database.query(COUNTERS);
    return rows[0];
  };
  const before = await read();
  await work();
  const after = await read();
  return Object.fromEntries(Object.keys(after).map((name) => [name, after[name] - before[name]]));
};

/** Accounts with a list of origins, an alias, topics in two languages and topics of tags. */
const addAccounts = async ({ port, adminKey }) => {
  for (let index = 0; index < ACCOUNTS; index++) {
    const name = `site${index}`;
    const response = await fetch(`http://127.0.0.1:${port}/admin/accounts/${name}`, {
      method: "PUT",
      headers: { authorization: `Bearer ${adminKey}`, "content-type": "application/json" },
      body: JSON.stringify({
        name,
        channels: [
          { name: "Orders", locales: { de: { name: "Bestellungen" } } },
          { name: "Gold", tags: ["gold"] },
        ],
        messenger: { aliases: [`token-${index}`], origins: [`https://${name}.example`] },
      }),
    });
    if (!response.ok) throw new Error(`PUT /admin/accounts/${name}: ${response.status} ${await response.text()}`);
  }
};

/** The requests of one visitor, as the script in the page sends them. */
const requestsOf = (index, tag) => {
  const name = `site${index % ACCOUNTS}`;
  const origin = `https://${name}.example`;
  const headers = {
    ...{ "accept-encoding": "gzip, deflate, br", "accept-language": "de-DE,de;q=0.9", referer: `${origin}/` },
    "user-agent": "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0",
    "x-forwarded-for": `10.${index >> 16}.${(index >> 8) & 255}.${index & 255}`,
  };
  const query = new URLSearchParams({
    ...(index % 2 ? { account: name } : { alias: `token-${index % ACCOUNTS}` }),
    ...{ locale: ["de-DE,de,en", "en-GB", "ar"][index % 3], ...(index % 5 === 0 && { tags: "gold" }), origin },
  });
  const known = index % RETURNING === 0 && { "if-none-match": tag };
  return [
    { path: `/js/widget.js?account=${name}`, headers: { ...headers, ...known } },
    { path: `/messenger/api/configuration?${query}`, headers: { ...headers, origin } },
  ];
};

/** -> requests a second */
const visit = async ({ port }) => {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  const send = ({ path, headers }) =>
    new Promise((resolve, reject) => {
      request({ host: "127.0.0.1", port, path, headers, agent }, (response) => {
        response.resume().on("end", () => resolve(response));
      })
        .on("error", reject)
        .end();
    });
  const { headers } = await send({ path: "/js/widget.js", headers: {} });
  let next = 0;
  const work = async () => {
    while (next < VISITORS)
      for (const each of requestsOf(next++, headers.etag)) {
        const { statusCode } = await send(each);
        if (statusCode !== 200 && statusCode !== 304) throw new Error(`GET ${each.path}: ${statusCode}`);
      }
  };
  const started = performance.now();
  await Promise.all(Array.from({ length: CONNECTIONS }, work));
  const seconds = (performance.now() - started) / 1_000;
  agent.destroy();
  return { rate: (2 * VISITORS) / seconds, seconds };
};

/** A real browser loads a page, puts the pointer on the button, which loads the panel, and leaves. */
const visitInBrowser = async ({ port }, ended) => {
  const snippet = `<script src="http://127.0.0.1:${port}/js/widget.js?account=acme" chat="true" async></script>`;
  const site = createServer((_, response) =>
    response.writeHead(200, { "content-type": "text/html" }).end(`<!doctype html><h1>Shop</h1>${snippet}`),
  );
  await new Promise((resolve) => site.listen(0, "127.0.0.1", resolve));
  ended(() => new Promise((resolve) => site.close(resolve)));
  const browser = await launch();
  ended(() => browser.close());
  const page = await browser.newPage();
  await page.goto(`http://127.0.0.1:${site.address().port}`);
  await page.locator("#fc_frame button").first().hover();
  await page.frameLocator("#fc_widget").locator("button").first().waitFor({ state: "attached" });
  await wait(1_000);
  await browser.close();
};

/**
 * @shape `{ visitors, rate, visits, idle, inBrowser, memory: { before, after } }`; visits, idle, inBrowser: `{ rows, transactions, wal }` of the database;
 * rows: written; wal: of the service, not of PostgreSQL's own processes; idle: in the same time without visitors @units requests a second; wal: bytes; megabytes
 */
export const measureSilentVisits = async ({ server, ended, progress }) => {
  const folder = await mkdtemp(join(tmpdir(), "parley-bench-silent-"));
  ended(() => rm(folder, { recursive: true, force: true }));
  const url = await server.createDatabase("bench_silent");
  const service = await startServer("messenger/panels-service.mjs", url, folder);
  ended(service.stop);
  const database = new pg.Client({ connectionString: url });
  await database.connect();
  ended(() => database.end());
  await addAccounts(service);
  const { seconds } = await visit(service);
  const idle = await countersOf(database, () => wait(seconds * 1_000));
  const before = await memoryOf(service.pid);
  let rate;
  const visits = await countersOf(database, async () => ({ rate } = await visit(service)));
  const after = await memoryOf(service.pid);
  const inBrowser = await countersOf(database, () => visitInBrowser(service, ended));
  progress(`messenger: idle ${JSON.stringify(idle)}, visitors ${JSON.stringify(visits)}`);
  return { visitors: VISITORS, rate, visits, idle, inBrowser, memory: { before, after } };
};
