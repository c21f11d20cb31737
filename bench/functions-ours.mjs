/** Starts `parley run` with an app of the bench. Sends by message how its host page calls the function. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const BIN = fileURLToPath(new URL("../packages/parley/bin/parley.mjs", import.meta.url));
const env = { ...process.env, PARLEY_SERVICE_PORT: "0", PARLEY_APP_PORT: "0" };
const child = spawn(process.execPath, [BIN, "run", process.argv[2], "--ephemeral", "--install", "--json"], {
  env,
  stdio: ["ignore", "pipe", "inherit"],
});
const ended = once(child, "close");
ended.then(([status]) => process.exit(status ?? 1));
const [line] = await once(createInterface({ input: child.stdout }), "line");
const { app } = JSON.parse(line);
const page = await (await fetch(app)).text();
const [, token] = /"token":"([^"]+)"/.exec(page.replaceAll("&quot;", '"')) ?? [];
if (!token) throw new Error("The host page contains no token.");
process.send({
  port: Number(new URL(app).port),
  path: "/front/call",
  headers: { "x-page-token": token },
  hostPid: child.pid,
});
process.on("message", () => child.kill("SIGTERM"));
