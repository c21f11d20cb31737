import type { Command } from "commander";
import { connectAdmin, adminKeyOf } from "../admin/admin-client.ts";
import { table, printable } from "../output/table.ts";
import { consentState } from "../consent/command.ts";
import { controlCalls } from "../control/control-client.ts";
import type { InstanceApp } from "../instance/instance.ts";

const HELP = `
Processes reserve calls in blocks, so "calls used" can be slightly higher than the number of calls made.

Examples:
  npx parley status
  npx parley status --json`;

/** An app of the instance with the consents of its code; no consents when its host does not answer. */
async function appStatus({ name, app }: InstanceApp, folder: string) {
  const consents = await controlCalls(app, await adminKeyOf(folder))
    .consents()
    .catch(() => undefined);
  return { name, app, ...(consents && { consents }) };
}

const consentLines = ({ name, consents = [] }: Awaited<ReturnType<typeof appStatus>>): string[] => {
  if (consents.length === 0) return [];
  const rows = consents.map((consent) => [printable(consent.subject), consentState(consent)]);
  return ["", table([`consents to ${printable(name)}`, "state"], rows)];
};

/** @units milliseconds */
const HEALTH_TIMEOUT_MS = 5_000;

/** State of the platform at the origin, by its health address. */
const platformState = async (origin: string): Promise<string> => {
  const reply = await fetch(`${origin}/health`, { signal: AbortSignal.timeout(HEALTH_TIMEOUT_MS) }).catch(
    () => undefined,
  );
  if (!reply) return "does not answer";
  return reply.ok ? "runs apps" : "runs no apps at present: it can't reach the database";
};

async function status({ json }: { readonly json?: boolean }): Promise<void> {
  const { instance, origin, calls } = await connectAdmin();
  const { accounts, database, version, pid } = await calls.getStatus({});
  const { app, installPage, folder, platform: platformOrigin } = instance;
  const addressed = accounts.map(({ base_path, ...account }) => ({ ...account, address: origin + base_path }));
  const apps = await Promise.all((instance.apps ?? []).map((app) => appStatus(app, folder)));
  const platform = platformOrigin && { url: platformOrigin, state: await platformState(platformOrigin) };
  const all = {
    version,
    pid,
    service: origin,
    ...(platform && { platform }),
    app,
    installPage,
    dataFolder: folder,
    database,
    accounts: addressed,
    apps,
  };
  if (json) return void process.stdout.write(`${JSON.stringify(all)}\n`);
  const lines = [
    `Parley ${version} runs as process ${pid}.`,
    `Service            ${origin}`,
    ...(app === "" ? [] : [`App                ${app}`, `Installation page  ${installPage}`]),
    ...(platform ? [`Platform           ${platform.url}  ${platform.state}`] : []),
    `Data               ${folder}`,
    `Database           ${database.embedded ? "embedded PostgreSQL" : "PostgreSQL of DATABASE_URL"}`,
    "",
    table(
      ["account", "plan", "calls used", "left", "address"],
      addressed.map(({ name, plan_type, calls: { limit, used, left }, address }) => [
        name,
        plan_type,
        `${used} of ${limit}`,
        String(left),
        address,
      ]),
    ),
    ...apps.flatMap(consentLines),
  ];
  process.stdout.write(`${lines.join("\n")}\n`);
}

/** `parley status`: shows the instance, its accounts and its apps. */
export const addStatus = (program: Command) =>
  program
    .command("status")
    .description("show the running instance and each account's usage")
    .option("--json", "print one line of JSON")
    .addHelpText("after", HELP)
    .action(status);
