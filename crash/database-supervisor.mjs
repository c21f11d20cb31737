/** Supervises PostgreSQL, so that it outlives the services: `node database-supervisor.mjs <data folder>`. */
import { clusterOf, embeddedUrl, openDatabase } from "../packages/database/dist/index.js";
import { serve } from "./processes.mjs";

const [dataFolder] = process.argv.slice(2);
const log = (line) => console.error(line);
/** Connections of two services, a host and the checker. */
const settings = { max_connections: "120" };
const database = await openDatabase({ dataFolder, settings, log });
serve({ cluster: clusterOf(dataFolder), url: embeddedUrl(dataFolder) }, { end: () => database.close() });
