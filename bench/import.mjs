/** Section `import`: imports a file into an empty database, and the same file again. */
import { readdirSync, readFileSync } from "node:fs";
import { mkdtemp, open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { clusterOf, embeddedUrl, openDatabase } from "../packages/database/dist/index.js";
import { median } from "./median.mjs";
import { startServer } from "./processes.mjs";

/** Messages of each conversation; each conversation has its own user. */
const MESSAGES_PER_CONVERSATION = 10;
const START_TIME = Date.UTC(2024, 0, 1);
const MINUTE_MS = 60_000;
/** Ticks a second in /proc/<pid>/stat. */
const TICKS_PER_SECOND = 100;

const ACCOUNT = [
  { type: "account", name: "shop", channels: [{ name: "Inbox" }], groups: [{ name: "Sales" }] },
  { type: "agent", id: "ida", email: "ida@shop.example", first_name: "Ida", groups: ["Sales"] },
];
const SENTENCES = [
  "Hi, where is my order? It was to be here on Tuesday, and the page says that it left the warehouse.",
  "Let me look that up for you. Could you tell me the number that stands in the e-mail?",
  "It's the one that ends in 4471. Thank you for looking!",
  "Found it. It is in Lyon since this morning, so that it will be with you tomorrow.",
];

const timeOf = (index, place) => new Date(START_TIME + (index + place) * MINUTE_MS).toISOString();

/** Ids are not UUIDs, so the import converts them to UUIDs. Exports of Parley contain UUIDs and are cheaper to import. */
const userOf = (index) => ({
  type: "user",
  id: `customer-${index}`,
  created_time: timeOf(index, 0),
  first_name: `Ana${index}`,
  last_name: "Sousa",
  email: `ana${index}@example.com`,
  phone: `+1555${String(index).padStart(7, "0")}`,
  properties: [{ name: "plan", value: "basic" }],
});
const conversationOf = (index) => ({
  type: "conversation",
  conversation_id: `ticket-${index}`,
  channel_id: "Inbox",
  user_id: `customer-${index}`,
  created_time: timeOf(index, 0),
  updated_time: timeOf(index, MESSAGES_PER_CONVERSATION - 1),
  status: "resolved",
  assigned_agent_id: "ida@shop.example",
  assigned_group_id: "Sales",
});
const messageOf = (index, place) => ({
  type: "message",
  id: `comment-${index}-${place}`,
  conversation_id: `ticket-${index}`,
  created_time: timeOf(index, place),
  ...(place % 2 === 0
    ? { actor_type: "user", actor_id: `customer-${index}` }
    : { actor_type: "agent", actor_id: "ida@shop.example" }),
  message_parts: [{ text: { content: SENTENCES[place % SENTENCES.length] } }],
});

/** Writes the file in blocks of a thousand conversations. -> number of records */
const writeFile = async (path, conversations) => {
  const file = await open(path, "w");
  let records = 0;
  const add = async (some) => {
    records += some.length;
    await file.write(some.map((record) => `${JSON.stringify(record)}\n`).join(""));
  };
  const range = (from) => Array.from({ length: Math.min(1_000, conversations - from) }, (_, index) => from + index);
  await add(ACCOUNT);
  for (let from = 0; from < conversations; from += 1_000) await add(range(from).map(userOf));
  for (let from = 0; from < conversations; from += 1_000)
    await add(
      range(from).flatMap((index) => [
        conversationOf(index),
        ...Array.from({ length: MESSAGES_PER_CONVERSATION }, (_, place) => messageOf(index, place)),
      ]),
    );
  await file.close();
  return records;
};

/** CPU time of all processes of a PostgreSQL server so far; that of ended processes is in the postmaster's count of its children. @units seconds */
const serverTime = (folder) => {
  const fieldsOf = (pid) => readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1].split(" ");
  const postmaster = readFileSync(join(folder, "postmaster.pid"), "utf8").split("\n")[0];
  const own = (pid) => Number(fieldsOf(pid)[11]) + Number(fieldsOf(pid)[12]);
  let ticks = Number(fieldsOf(postmaster)[13]) + Number(fieldsOf(postmaster)[14]);
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name)))
    try {
      if (fieldsOf(pid)[1] === postmaster) ticks += own(pid);
    } catch {
      // The process has ended.
    }
  return ticks / TICKS_PER_SECOND;
};

const rounded = (value, digits = 0) => Number(value.toFixed(digits));

/** @shape `[{ name, "messages a second", "records a second", seconds, "µs of Node", "µs of PostgreSQL", "MB at most" }]` */
export const measureImport = async ({ rounds, imported, progress }) => {
  const folder = await mkdtemp(join(tmpdir(), "parley-bench-"));
  const conversations = Math.ceil(imported / MESSAGES_PER_CONVERSATION);
  const messages = conversations * MESSAGES_PER_CONVERSATION;
  const results = { first: [], again: [] };
  try {
    const path = join(folder, "records.ndjson");
    const records = await writeFile(path, conversations);
    for (let round = 0; round < rounds; round++) {
      const dataFolder = join(folder, `data-${round}`);
      const database = await openDatabase({ dataFolder, log: progress });
      try {
        const [place, url] = [clusterOf(dataFolder), embeddedUrl(dataFolder)];
        for (const [name, expected] of Object.entries({ first: "created", again: "unchanged" })) {
          const before = serverTime(place);
          const ours = await startServer("import-ours.mjs", url, path);
          const result = await ours.ask("import");
          await ours.stop();
          if (!result.done || result[expected] !== records) throw new Error(`${name}: ${JSON.stringify(result)}`);
          results[name].push({ ...result, server: serverTime(place) - before });
          progress(`import, ${name}: ${JSON.stringify(results[name].at(-1))}`);
        }
      } finally {
        await database.close();
        await rm(dataFolder, { recursive: true, force: true });
      }
    }
    return [
      ["first", `import of ${messages} messages`],
      ["again", "the same file again"],
    ].map(([key, name]) => {
      const of = (member) => median(results[key].map((result) => result[member]));
      return {
        name,
        "messages a second": rounded(messages / of("seconds")),
        "records a second": rounded(records / of("seconds")),
        seconds: rounded(of("seconds"), 1),
        "µs of Node": rounded((of("cpu") * 1e6) / messages, 1),
        "µs of PostgreSQL": rounded((of("server") * 1e6) / messages, 1),
        "MB at most": rounded(of("megabytes")),
      };
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};
