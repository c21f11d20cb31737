/** docs/app-authors/compatibility.md. The commands for apps and for clients write one part of it each. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const FILE = fileURLToPath(new URL("../../docs/app-authors/compatibility.md", import.meta.url));
const CLIENTS = "\n## Clients\n";
const MESSENGER = "\n## Messenger\n";

const WHOSE = { own: "its own", outside: "not here", parley: "Parley's" };

/** Escapes a text for a cell of a table. */
export const escaped = (text) => text.replaceAll("|", "\\|").replaceAll(/\s+/g, " ").replaceAll("<", "&lt;");

/** Lists the failures of an app or a client and their causes. Steps that failed for the same reason form one entry. */
export const failuresOf = ({ steps }) => {
  const reasons = new Map();
  for (const { ok, step, whose, why, reason } of steps) {
    if (ok) continue;
    const explanation = whose ? `${why} (${WHOSE[whose]})` : `${reason} (unexplained)`;
    reasons.set(explanation, [...(reasons.get(explanation) ?? []), step]);
  }
  return [...reasons].map(([explanation, failed]) => escaped(`${failed.join(", ")}: ${explanation}`)).join("<br>");
};

/** The parts of the page, of which the one for the messenger is written by hand. */
const parts = () => {
  const text = existsSync(FILE) ? readFileSync(FILE, "utf8") : "";
  const [apps = "", others = ""] = text.split(CLIENTS);
  const [clients = "", messenger = ""] = others.split(MESSENGER);
  return { apps, clients, messenger };
};

const write = (changes) => {
  const { apps, clients, messenger } = { ...parts(), ...changes };
  writeFileSync(FILE, [`${apps.trimEnd()}\n`, CLIENTS, `${clients.trimEnd()}\n`, MESSENGER, messenger].join(""));
};

export const writeApps = (apps) => write({ apps });
export const writeClients = (clients) => write({ clients });
