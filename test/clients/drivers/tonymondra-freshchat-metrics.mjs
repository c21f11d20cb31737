import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { runProgram, same } from "../parley.mjs";

const MAIN = fileURLToPath(new URL("../go/freshchat_metrics.go", import.meta.url));
const METRICS = ["get_count_metrics.go", "get_agg_metrics.go"];

/** Exports a team's metrics for a cloud database. */
export default {
  name: "freshchat_metrics",
  repository: "TonyMondra/freshchat_metrics",
  commit: "32cde4157d046992fcf63c94c24ca509dd20b728",
  language: "Go",
  needs: [
    "go",
    "a proxy: a host stands in its code",
    "its two files that ask the API; the third writes to a database of a cloud",
  ],
  async drive({ parley, folder, step }) {
    const alone = mkdtempSync(join(tmpdir(), "parley-client-go-"));
    try {
      for (const name of METRICS) copyFileSync(join(folder, name), join(alone, name));
      copyFileSync(MAIN, join(alone, "main.go"));
      const at = (days) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
      const go = async (what) =>
        JSON.parse(
          await runProgram("go", ["run", "main.go", ...METRICS, what, at(-2), at(2)], {
            cwd: alone,
            env: {
              ...parley.outside.env,
              GO111MODULE: "off",
              GOFLAGS: "",
              FRESHCHAT_BASE_URL: "https://acme.freshchat.com",
              FRESHCHAT_API_KEY: parley.token,
            },
            ms: 240_000,
          }),
        );
      const { conversation } = await parley.talk("Count me");
      const [agent] = parley.agents;
      await parley.call("PUT", `/conversations/${conversation}`, { status: "assigned", assigned_agent_id: agent.id });
      const reply = { actor_type: "agent", actor_id: agent.id, message_parts: [{ text: { content: "Counted" } }] };
      await parley.call("POST", `/conversations/${conversation}/messages`, reply);
      await parley.call("PUT", `/conversations/${conversation}`, { status: "resolved" });
      await step("GetCountMetrics: four metrics of a period", async () => {
        const metrics = await go("count");
        same("the metrics", Object.keys(metrics).length, 4);
        same(
          "that each counts",
          Object.values(metrics).every((value) => value >= 1),
          true,
        );
      });
      await step("GetAggMetrics: four times, the largest of a period", async () => {
        same("the metrics", Object.keys(await go("max")).length, 4);
      });
    } finally {
      rmSync(alone, { recursive: true, force: true });
    }
  },
};
