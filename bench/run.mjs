/** Runs the benchmark. Compare ratios rather than absolute values: both sides run alternately on the same machine. */
import { writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { measureAttacks } from "./attacks.mjs";
import { measureCalls } from "./calls.mjs";
import { compareWith } from "./compare.mjs";
import { measureEvents } from "./events.mjs";
import { measureHandlers } from "./handlers.mjs";
import { measureImport } from "./import.mjs";
import { measureLists } from "./lists.mjs";
import { measureMessages, measureSlowDisk } from "./messages.mjs";
import { measureConsole } from "./console/console.mjs";
import { measureMessenger } from "./messenger/messenger.mjs";
import { measurePlatform } from "./platform/platform.mjs";
import { measureReports } from "./reports.mjs";
import { measureReset } from "./reset.mjs";
import { measureSearch } from "./search/search.mjs";
import { measureStart } from "./start.mjs";
import { measureMemory } from "./memory.mjs";
import { measureStreams } from "./streams.mjs";
import { measureProcesses } from "./workers.mjs";

const SECTIONS = {
  messages: measureMessages,
  disk: measureSlowDisk,
  processes: measureProcesses,
  events: measureEvents,
  lists: measureLists,
  start: measureStart,
  reports: measureReports,
  handlers: measureHandlers,
  reset: measureReset,
  import: measureImport,
  calls: measureCalls,
  attacks: measureAttacks,
  platform: measurePlatform,
  console: measureConsole,
  messenger: measureMessenger,
  search: measureSearch,
  streams: measureStreams,
  memory: measureMemory,
};

const HELP = `npm run bench -- [messages] [lists] [start] [reports] [handlers] [reset] [disk] [processes] [events]
                 [import] [calls] [attacks] [--only <part of an attack's name>]
                 [platform] [--only cost|installations|noise] [--installations 1000]
                 [console] [--only start|admin|live|load|memory|scroll]
                 [messenger] [--only sizes|page|open|live|visitors|panels]
                 [search] [--searched 3000000] [streams] [--only <part of a row's name>]
                 [memory] [--unlike 100000]
                 [--rounds 5] [--seconds 4]
                 [--users 50000] [--messages 150000] [--transcript 2000000] [--loaded 0] [--imported 200000]
                 [--no-peers] [--json] [--before <built checkout>]

messages   requests a second of the complete service, compared with the limit (bare node:http with the same statements) and with
           mock servers (--no-peers omits them); --loaded: number of existing messages
disk       the same on a PostgreSQL whose fsync takes 3 ms longer (compiles a library; needs cc)
processes  the same with one process of parley serve, with two, and with one and Concierge; ratios are relative to the first
events     latency from a message to an app's handler at 500 a second; deliveries to a local sink; outgoing calls
lists      milliseconds of distant pages of GET /users, compared with the first page; loads --users with three messages each
start      seconds from the command to the first response 200, compared with PostgreSQL and a bare node:http
reports    seconds, rows a second and memory of the service for a transcript of few messages and of --transcript messages
handlers   calls of an app's function a second, in its process and over HTTP, compared with a functions emulator; a cold process,
           a reload, validate and pack (the first run installs the emulator in bench/)
reset      milliseconds of a reset to the seed, with the demo accounts and with a few thousand messages
import     --imported messages in conversations of ten, each with its own user, into an empty database, and the same file again:
           messages a second, CPU time a message, and peak memory of the process
calls      CPU time that an app adds to a message, in the host and in its own process, by what its handler does (Linux)
attacks    p50 and p99 of a well-behaved client and of another app during an attack, and the memory of the attacked process
platform   published apps on parley serve: what Concierge costs the API, also on parley start; --installations of ten apps, 50 of them busy:
           latency, memory, processes, first events; what a noisy app costs its neighbours. Needs Linux and npm's registry once for the
           packages of Concierge; takes about ten minutes with 3 rounds, its default. Ctrl-C ends all of its processes
console    the console in a real browser on parley start: size of the first page and of those of the administration, time until they are
           usable, time from a message to an agent's screen, requests of an idle minute, memory after 50,000 events, delay of keys while messages arrive
messenger  the messenger of the demo shop in a real browser: size of its script and of its panel, Lighthouse's score of a page with it and without,
           time from the click to a usable panel, time from a visitor's message to an agent's screen and back; what 20,000 visitors who never open
           it write; messages a second, processor time and memory of the service with 5,000 open panels (the first run installs Lighthouse in bench/)
search     --searched messages of one account: messages indexed a second, size of the index, milliseconds of GET /search by kind of query and
           scope, compared with a GIN index (--no-peers omits it), sends a second with and without the projection; thirty minutes and 6 GB of disk with 3,000,000, its default
streams    messages a second beside 2,000 idle streams of their account, 5,000 of other accounts, and 2,000 that receive each message,
           compared with the same service without streams
memory     proportional memory of idle instances with PostgreSQL; memory of the service during and after --unlike requests that differ from
           each other. Needs Linux and, for the packages of Concierge, npm's registry once

--before   runs the sections in that checkout and in this one alternately, and compares the rows`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    json: { type: "boolean" },
    help: { type: "boolean" },
    rounds: { type: "string" },
    seconds: { type: "string", default: "4" },
    users: { type: "string", default: "50000" },
    messages: { type: "string" },
    transcript: { type: "string", default: "2000000" },
    loaded: { type: "string", default: "0" },
    searched: { type: "string", default: "3000000" },
    imported: { type: "string", default: "200000" },
    installations: { type: "string", default: "1000" },
    "no-peers": { type: "boolean" },
    unlike: { type: "string", default: "100000" },
    only: { type: "string" },
    before: { type: "string" },
  },
});
const unknown = positionals.find((name) => !(name in SECTIONS));
if (values.help || unknown) {
  console.log(unknown ? `There is no section ${unknown}.\n\n${HELP}` : HELP);
  process.exit(unknown ? 1 : 0);
}

const options = {
  rounds: Number(values.rounds ?? 5),
  isRoundsGiven: values.rounds !== undefined,
  seconds: Number(values.seconds),
  users: Number(values.users),
  messages: Number(values.messages ?? 3 * Number(values.users)),
  transcript: Number(values.transcript),
  loaded: Number(values.loaded),
  searched: Number(values.searched),
  imported: Number(values.imported),
  installations: Number(values.installations),
  unlike: Number(values.unlike),
  only: values.only,
  withPeers: !values["no-peers"],
  progress: (line) => process.stderr.write(`${line}\n`),
};
if (values.before !== undefined) {
  const args = process.argv.slice(2).filter((arg, index, all) => ![arg, all[index - 1]].includes("--before"));
  const before = resolve(values.before);
  const rows = await compareWith({ ...options, before, args });
  if (values.json) console.log(JSON.stringify({ rows }));
  else console.table(rows);
  process.exit();
}
const rows = [];
for (const [name, measure] of Object.entries(SECTIONS))
  if (positionals.length === 0 || positionals.includes(name)) rows.push(...(await measure(options)));

/** A row for `console.table`, without nested objects. */
const flat = ({ peers = {}, ...row }) => ({ ...row, ...peers });
writeFileSync(new URL("last.json", import.meta.url), `${JSON.stringify({ rows }, null, 2)}\n`);
if (values.json) console.log(JSON.stringify({ rows }));
else console.table(rows.map(flat));
