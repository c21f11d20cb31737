import { spawn } from "node:child_process";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { chmod, mkdir, mkdtemp, readFile, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { findBoundary, boundaryShortcomings, type Boundary, type BoundaryName } from "../../../src/sandbox/boundary.ts";
import { endProgram } from "../../../src/sandbox/confined-program.ts";
import { FAMILIES, type Victims } from "./attempts.ts";

/** Results of one run of all attempts. @shape succeeded: "<family>: <title>" to the returned value */
export interface BoundaryFindings {
  readonly boundary: BoundaryName;
  readonly isStrong: boolean;
  readonly shortcomings: readonly string[];
  readonly user: number;
  /** The host name that the program sees. */
  readonly hostName: string;
  readonly attempts: number;
  readonly succeeded: readonly (readonly [attempt: string, result: string])[];
  /** Effects observed at the victims, independent of the program's own output. */
  readonly effects: readonly string[];
}

/** Prints one line before each attempt and one for each success, so that an attempt that ends the process is also recorded. */
const PROGRAM = `
const fs = require("fs"), net = require("net");
const at = JSON.parse(process.argv[1]), attempts = JSON.parse(process.argv[2]);
process.on("uncaughtException", () => {});
const say = (line) => fs.writeSync(1, JSON.stringify(line) + "\\n");
const inTime = (work) => Promise.race([work, new Promise((_, no) => setTimeout(no, 500, new Error("no answer in time")))]);
say({ hostName: require("os").hostname() });
(async () => {
  const AsyncFunction = (async () => {}).constructor;
  for (const [index, [title, body]] of attempts.entries()) {
    say({ index });
    let returned;
    try { returned = await inTime(new AsyncFunction("fs", "net", "at", "require", body)(fs, net, at, require)); } catch {}
    if (returned) say({ title, returned: String(returned).slice(0, 80) });
  }
  process.reallyExit(0);
})();
`;

interface Line {
  readonly index?: number;
  readonly title?: string;
  readonly returned?: string;
  readonly hostName?: string;
}

const ALL = Object.entries(FAMILIES).flatMap(([family, attempts]) =>
  attempts.map(([title, body]) => [`${family}: ${title}`, body] as const),
);

/** Runs the attempts in successive processes, since some attempts end the process. */
async function tryAll(boundary: Boundary, at: Victims) {
  const succeeded: (readonly [string, string])[] = [];
  let hostName = "";
  for (let from = 0; from < ALL.length;) {
    const child = boundary.start({
      args: ["--no-warnings", "-e", PROGRAM, JSON.stringify(at), JSON.stringify(ALL.slice(from))],
      limits: { dataMb: 512, openFiles: 128, processorSeconds: 120, fileMb: 1 },
      stdio: ["ignore", "pipe", "ignore"],
    });
    let text = "";
    const output = child.stdio[1] as Readable;
    output.on("data", (chunk: Buffer) => (text += String(chunk)));
    await once(output, "close");
    endProgram(child);
    const lines = text.split("\n").flatMap((line) => (line.endsWith("}") ? [JSON.parse(line) as Line] : []));
    const last = lines.reduce((latest, { index = latest }) => index, -1);
    for (const line of lines) hostName = line.hostName ?? hostName;
    if (last < 0) throw new Error(`The program did not begin at attempt ${from}: ${text}`);
    for (const { title, returned = "" } of lines) if (title !== undefined) succeeded.push([title, returned]);
    from += last + 1;
  }
  return { succeeded, hostName };
}

/** Creates files, servers and a process of the host's user, and a function that reports changes to them. */
async function makeVictims(base: string) {
  const openFolder = join(base, "open");
  await mkdir(openFolder);
  await chmod(openFolder, 0o777);
  const [secretFile, secretLink, openFile] = [
    join(base, "secret"),
    join(openFolder, "secret"),
    join(openFolder, "file"),
  ];
  await writeFile(secretFile, "canary of a file", { mode: 0o600 });
  await writeFile(openFile, "as it was");
  await chmod(openFile, 0o666);
  await symlink(secretFile, secretLink);
  let reached = 0;
  const listening = async (place: string | number) => {
    const server = createServer((socket) => {
      reached += 1;
      socket.on("error", () => undefined).end("HTTP/1.0 200 OK\r\n\r\n");
    });
    server.listen(...((typeof place === "number" ? [place, "127.0.0.1"] : [place]) as [string]));
    await once(server, "listening");
    return server;
  };
  const socketPath = join(base, "socket");
  const abstractName = `parley-boundary-${process.pid}`;
  const tcp = await listening(0);
  const servers = [tcp, await listening(socketPath), await listening(`\0${abstractName}`)];
  await chmod(socketPath, 0o777);
  const datagrams = createSocket("udp4").on("message", () => (reached += 1));
  datagrams.bind(0, "127.0.0.1");
  await once(datagrams, "listening");
  const victim = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: "ignore", detached: true });
  process.once("exit", () => victim.kill("SIGKILL"));
  await new Promise((go) => setTimeout(go, 50));
  const at: Victims = {
    secretFile,
    secretLink,
    openFolder,
    openFile,
    socketPath,
    abstractName,
    port: (tcp.address() as AddressInfo).port,
    datagramPort: datagrams.address().port,
    victim: victim.pid ?? 0,
    host: process.pid,
  };
  return {
    at,
    async effects(): Promise<string[]> {
      const stays = await readFile(openFile, "utf8").catch(() => "gone");
      const inside = await readdir(openFolder).catch(() => ["gone"]);
      return [
        ...(reached > 0 ? [`${reached} connections`] : []),
        ...(stays === "as it was" ? [] : ["a changed file"]),
        ...(inside.sort().join() === "file,secret" ? [] : [`in the folder: ${inside.join()}`]),
        ...(victim.exitCode === null && victim.signalCode === null ? [] : ["a dead process"]),
      ];
    },
    close() {
      victim.kill("SIGKILL");
      datagrams.close();
      for (const server of servers) server.close();
    },
  };
}

async function main(): Promise<void> {
  const [base = "", names = ""] = process.argv.slice(2);
  process.env["PARLEY_CANARY"] = "canary of an environment";
  const boundary = await findBoundary(names === "" ? undefined : (names.split(",") as BoundaryName[]));
  const folder = await mkdtemp(join(base, "run-"));
  await chmod(folder, 0o755);
  const victims = await makeVictims(folder);
  const { succeeded, hostName } = await tryAll(boundary, victims.at);
  const findings: BoundaryFindings = {
    boundary: boundary.name,
    isStrong: boundary.isStrong,
    shortcomings: boundaryShortcomings(boundary),
    user: process.getuid?.() ?? -1,
    hostName,
    attempts: ALL.length,
    succeeded,
    effects: await victims.effects(),
  };
  victims.close();
  await rm(folder, { recursive: true, force: true });
  process.stdout.write(`${JSON.stringify(findings)}\n`);
  process.exit(0);
}

void main();
