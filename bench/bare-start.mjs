/** Lower bound of a start: PostgreSQL in the data folder and a bare `node:http` server that executes one statement a request. */
import { createServer } from "node:http";
import { openDatabase, statement } from "../packages/database/dist/index.js";

const database = await openDatabase({ dataFolder: process.env.PARLEY_DATA });
const pool = database.pool("public", { max: 1 });
const server = createServer(async (_request, response) => {
  await pool.rows(statement("", "select 1"), []);
  response.end("{}");
}).listen(0, "127.0.0.1", () => {
  const { port } = server.address();
  process.stdout.write(`${JSON.stringify({ service: `http://127.0.0.1:${port}`, token: "none" })}\n`);
});
process.once("SIGTERM", async () => {
  await database.close();
  process.exit(0);
});
