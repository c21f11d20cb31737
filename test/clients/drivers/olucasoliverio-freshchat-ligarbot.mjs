import { freePort, same, startProgram, until } from "../parley.mjs";

/** A page's server that lists agents and makes them available. The agents' ids are constants in its code. */
export default {
  name: "freshchat_ligarbot",
  repository: "olucasoliverio/freshchat_ligarbot",
  commit: "2546ed61eb0d53230d827859d9735abaff2ea757",
  language: "JavaScript",
  dependencies: { cors: "2", dotenv: "17", express: "4", "node-fetch": "3" },
  needs: ["agents with the ids that stand in its code, for their states to be known"],
  async drive({ parley, folder, step }) {
    const port = await freePort();
    const env = {
      FRESHCHAT_DOMAIN: "acme",
      FRESHCHAT_API_KEY: parley.token,
      APP_SECRET: "s",
      PORT: String(port),
      ...parley.outside.nodeEnv,
    };
    const program = startProgram(process.execPath, ["server.js"], { cwd: folder, env });
    try {
      await until("the program", () => program.said().includes(String(port)));
      const get = async (path) =>
        (await fetch(`http://127.0.0.1:${port}${path}`, { headers: { "x-app-secret": "s" } })).json();
      await step("agents-status: asks for each of its agents, and takes 404 for one that is not known", async () => {
        const { results } = await get("/agents-status");
        same("the number of agents", results.length > 10, true);
        same("their states", [...new Set(results.map(({ error }) => error))], ["GET falhou: 404"]);
      });
      await step("set-available: says which agent could not be read", async () => {
        const [{ id }] = await get("/agents");
        const headers = { "x-app-secret": "s", "content-type": "application/json" };
        const body = JSON.stringify({ agent_ids: [id] });
        const { results } = await (
          await fetch(`http://127.0.0.1:${port}/set-available`, { method: "POST", headers, body })
        ).json();
        same("the result", [results[0].status, results[0].http_status], ["error", 404]);
      });
    } finally {
      await program.stop();
    }
  },
};
