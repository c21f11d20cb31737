/** docs/app-authors/compatibility.md. The commands for apps and for clients write one part of it each. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const FILE = fileURLToPath(new URL("../../docs/app-authors/compatibility.md", import.meta.url));
const CLIENTS = "\n## Clients\n";

const WHOSE = { own: "its own", outside: "not here", parley: "Parley's" };

/** Escapes a text for a cell of a table. */
export const escaped = (text) => text.replaceAll("|", "\\|").replaceAll(/\s+/g, " ").replaceAll("<", "&lt;");

/** Lists the failures of an app or a client and their causes. Steps that failed for the same reason form one entry. */
export const failuresOf = ({ steps }) => {
  const reasons = new Map();
  for (const { ok, step, whose, why, reason } of steps) {
    if (ok) continue;
    const said = whose ? `${why} (${WHOSE[whose]})` : `${reason} (unexplained)`;
    reasons.set(said, [...(reasons.get(said) ?? []), step]);
  }
  return [...reasons].map(([said, failed]) => escaped(`${failed.join(", ")}: ${said}`)).join("<br>");
};

const parts = () => {
  const [apps = "", clients = ""] = existsSync(FILE) ? readFileSync(FILE, "utf8").split(CLIENTS) : [];
  return { apps, clients };
};

export const writeApps = (text) => writeFileSync(FILE, `${text.trimEnd()}\n${CLIENTS}${parts().clients}`);
export const writeClients = (text) => writeFileSync(FILE, `${parts().apps}${CLIENTS}${text}`);
