import type { FrontLook, FrontStanding } from "@parley/contract";
import type { Installations } from "../install/installations.ts";
import { lineOf } from "../project/finding.ts";
import type { Newest } from "../project/live.ts";
import { nameOf, type Desk } from "./desk.ts";
import type { PageScripts } from "./scripts.ts";
import { ServiceRefused } from "./service.ts";

export interface StandingDeps {
  readonly newest: () => Newest;
  readonly installations: Pick<Installations, "find">;
  readonly desk: Desk;
  readonly scripts: Pick<PageScripts, "findings">;
}

/** What the service says keeps the page from showing conversations; everything else is told all the same. */
const conversationsOf = async (desk: Desk, { conversation }: FrontLook) => {
  try {
    const [conversations, agents, open] = await Promise.all([
      desk.recent(),
      desk.agents(),
      conversation === undefined ? undefined : desk.open(conversation),
    ]);
    const named = agents.map((agent) => ({ id: agent.id, name: nameOf(agent) }));
    return { conversations, agents: named, ...(open ? { open } : {}) };
  } catch (error) {
    if (error instanceof ServiceRefused) return { conversations: [], agents: [], problem: error.message };
    throw error;
  }
};

/** How things stand for a page that looks at a conversation. */
export const standingOf = async (
  { newest, installations, desk, scripts }: StandingDeps,
  look: FrontLook,
): Promise<FrontStanding> => {
  const { project, findings } = newest();
  const [installation, shown] = await Promise.all([installations.find(), conversationsOf(desk, look)]);
  return {
    version: project.version,
    ...(installation ? { installed: { account: installation.account, saves: installation.version } } : {}),
    errors: [...findings, ...scripts.findings()].filter(({ level }) => level === "error").map(lineOf),
    ...shown,
  };
};
