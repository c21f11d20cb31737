/** Keeps PostgreSQL, so that it outlives the services: `node keeper.mjs <data folder>`. */
import { openDatabase, statement } from "../packages/database/dist/index.js";
import { serve } from "./processes.mjs";

const [dataFolder] = process.argv.slice(2);
const log = (line) => console.error(line);
/** Several services, a host and the checker connect. */
const settings = { max_connections: "120" };
const database = await openDatabase({ dataFolder, settings, log });
const pool = database.pool("public", { max: 1 });
const [{ cluster }] = await pool.rows(statement("", "select current_setting('data_directory') as cluster"), []);
serve(
  { cluster, url: `postgres://postgres@/postgres?host=${encodeURIComponent(cluster)}` },
  { end: () => database.close() },
);
