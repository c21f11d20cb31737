import { CommandFailure } from "../environment/failure.ts";
import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { Option, type Command } from "commander";
import {
  appPackages,
  durationWithUnit,
  PERMISSIONS,
  PublishedAppName,
  schemaErrors,
  type AccessToken,
  type NewAccessToken,
  type Permission,
} from "@parley/contract";
import {
  keyPermissions,
  findingLine,
  createProjectTools,
  loadProject,
  type KeyPermissions,
} from "@parley/framework/authoring";
import { connectAdmin, createAdminCalls, listPages } from "../admin/admin-client.ts";
import { connectPlatform } from "../admin/platform-connection.ts";
import { printable, table } from "../output/table.ts";
import { appFolder } from "../input/app-folder.ts";
import { DOMAIN_SUFFIX } from "../start/app.ts";

/** Parses a duration such as `30d` or `12h`, or a time, into members of the admin API. @errors CommandFailure */
const lifetimeOf = (text: string): { expires_in_seconds: number } | { expires_time: string } => {
  const durationMs = durationWithUnit(text, ["s", "m", "h", "d", "w"]);
  if (durationMs !== undefined) return { expires_in_seconds: durationMs / 1_000 };
  const time = /^\d{4}-\d\d-\d\d/.test(text) ? Date.parse(text) : NaN;
  if (!Number.isNaN(time)) return { expires_time: new Date(time).toISOString() };
  throw new CommandFailure(
    `--expires takes a number with s, m, h, d or w, such as 30d or 12h, or a time such as 2027-01-31, not '${text}'.`,
  );
};

const print = (text: string) => void process.stdout.write(`${text}\n`);

const CREATE_HELP = `
The token is shown only once: the service stores only its hash.

--for-app takes the folder of an app, or the name of a published app. If the current folder has a folder of this name, the folder counts,
unless --app-version is given.

Permissions: ${PERMISSIONS.join(", ")}

Examples:
  npx parley token create                                          all permissions, valid for a year
  npx parley token create --name sync --expires 30d -p user:read -p conversation:read
  npx parley token create --for-app .                              with the permissions that the app in this folder needs
  npx parley token create --for-app concierge --account acme       with those of the newest published version of the app
  npx parley token create --for-app concierge --app-version 1.2.0  with those of another version
  npx parley token create --account load --json                    prints {"id","token"} and nothing else`;

const LIST_HELP = `
Examples:
  npx parley token list
  npx parley token list --account load --json`;

const REVOKE_HELP = `
All processes reject the token within a second.

Example:
  npx parley token revoke 01890000-0000-7000-8000-000000000001`;

interface CreateOptions {
  readonly account?: string;
  readonly name: string;
  readonly permission?: readonly Permission[];
  readonly forApp?: string;
  readonly appVersion?: string;
  readonly expires?: ReturnType<typeof lifetimeOf>;
  readonly json?: boolean;
}

const permissionIn = (text: string, previous: readonly Permission[] = []): readonly Permission[] => {
  const permission = PERMISSIONS.find((each) => each === text);
  if (permission) return [...previous, permission];
  throw new CommandFailure(`There is no permission '${text}'. Choose from: ${PERMISSIONS.join(", ")}.`);
};

interface NeededPermissions extends KeyPermissions {
  readonly name: string;
}

/** @errors CommandFailure for an app that can't be loaded */
async function permissionsOfFolder(dir: string): Promise<NeededPermissions> {
  const folder = await appFolder(resolve(dir));
  const { project, findings } = await loadProject(folder, await createProjectTools());
  if (project) return { name: project.name, ...keyPermissions(project, DOMAIN_SUFFIX) };
  const [first] = findings.filter(({ level }) => level === "error");
  throw new CommandFailure(
    `The app in ${folder} can't be read: ${first ? findingLine(first) : "'npx parley validate' says why"}. Correct it, or name permissions with -p.`,
  );
}

/** @errors CommandFailure for an app or a version that is not published, and without a platform */
async function permissionsOfPublished(name: string, wanted: string | undefined): Promise<NeededPermissions> {
  const { origin, key, hints } = await Promise.resolve(connectPlatform(undefined)).catch((error: unknown) => {
    throw new CommandFailure(
      `There is no folder ${printable(name)}, and published apps can't be looked up: ${(error as Error).message}`,
    );
  });
  const { apps } = await createAdminCalls(appPackages, origin, key, hints).listPublishedApps({});
  const app = apps.find((each) => each.name === name);
  if (!app)
    throw new CommandFailure(
      `There is neither a folder nor a published app ${printable(name)}. 'npx parley apps list' shows the published apps; 'npx parley publish' publishes an app.`,
    );
  const version = wanted === undefined ? app.versions[0] : app.versions.find((each) => each.version === wanted);
  if (version) return { name, permissions: version.permissions, undecided: version.undecided };
  const versions = app.versions.map((each) => printable(each.version)).join(", ");
  throw new CommandFailure(
    `${name} has no version ${printable(wanted ?? "")}. Name one of its versions with --app-version: ${versions}.`,
  );
}

const isFolder = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );

/** Whether a text can be the name of a published app, and not a path. */
const isAppName = (text: string): boolean => schemaErrors(PublishedAppName, text).length === 0;

/**
 * Permissions that an app's key needs. Named permissions are added, and are required when those of the app can't be derived.
 * @shape app: a folder, or the name of a published app; version: of the published app
 * @errors CommandFailure for an app that can't be loaded or is not published, whose permissions can't be derived while no permission is named, or
 * that needs no permission
 */
async function permissionsOfApp(
  app: string,
  version: string | undefined,
  named: readonly Permission[],
): Promise<readonly Permission[]> {
  const isPublished = version !== undefined || (isAppName(app) && !(await isFolder(resolve(app))));
  const { name, permissions, undecided } = await (isPublished
    ? permissionsOfPublished(app, version)
    : permissionsOfFolder(app));
  if (undecided.length > 0 && named.length === 0)
    throw new CommandFailure(
      `The permissions of ${name} can't be derived: ${undecided.map(({ place, reason }) => `${place}: ${reason}`).join("; ")}. ` +
        `Name its other permissions with -p${permissions.length > 0 ? `, besides ${permissions.join(", ")}` : ""}.`,
    );
  const all = PERMISSIONS.filter((permission) => permissions.includes(permission) || named.includes(permission));
  if (all.length > 0) return all;
  throw new CommandFailure(`${name} does not call the account's API: it needs no token.`);
}

async function create({ account, name, permission, forApp, appVersion, expires, json }: CreateOptions): Promise<void> {
  if (appVersion !== undefined && forApp === undefined)
    throw new CommandFailure("--app-version is the version of a published app: name the app with --for-app.");
  const { instance, calls } = await connectAdmin();
  const owner = account ?? instance.account;
  const requested = forApp === undefined ? permission : await permissionsOfApp(forApp, appVersion, permission ?? []);
  const body: NewAccessToken = { name, ...(requested && { permissions: [...requested] }), ...expires };
  const { id, token, permissions, expires_time } = await calls.createToken({ params: { account: owner }, body });
  if (json) return print(JSON.stringify({ id, token }));
  const scope = permissions.length === PERMISSIONS.length ? "everything" : permissions.join(", ");
  print(
    [
      `Token    ${token}`,
      `Id       ${id}`,
      `Account  ${owner}`,
      `May do   ${scope}`,
      `Expires  ${expires_time}`,
      "The token is shown only once: store it securely.",
    ].join("\n"),
  );
}

const stateOf = ({ revoked_time, expires_time }: AccessToken): string =>
  revoked_time === undefined ? `expires ${expires_time}` : `revoked ${revoked_time}`;

async function list({ account, json }: { readonly account?: string; readonly json?: boolean }): Promise<void> {
  const { instance, calls } = await connectAdmin();
  const params = { account: account ?? instance.account };
  const tokens: AccessToken[] = [];
  for await (const reply of listPages((page) => calls.listTokens({ params, query: { page, items_per_page: 100 } })))
    tokens.push(...reply.tokens);
  if (json) return print(JSON.stringify(tokens));
  const scopeOf = ({ permissions }: AccessToken) =>
    permissions.length === PERMISSIONS.length ? "everything" : permissions.join(" ");
  print(
    table(
      ["id", "name", "state", "last used", "may do"],
      tokens.map((token) => [token.id, token.name, stateOf(token), token.last_used_time ?? "never", scopeOf(token)]),
    ),
  );
}

async function revoke(token_id: string): Promise<void> {
  const { calls } = await connectAdmin();
  const token = await calls.revokeToken({ params: { token_id } });
  print(`Revoked ${token.id} (${token.name}): it is rejected within a second.`);
}

/** `parley token`: manages the API keys of an account. */
export const addToken = (program: Command) => {
  const token = program.command("token").description("create, list and revoke the tokens (API keys) of an account");
  token
    .command("create")
    .description("create a token and show it once")
    .option("--account <name>", "the account (default: that of the running instance)")
    .option("--name <name>", "name of the token in lists", "command line")
    .addOption(
      new Option("-p, --permission <name>", "permission of the token; repeatable (default: all)").argParser(
        permissionIn,
      ),
    )
    .option(
      "--for-app <app>",
      "permissions that an app needs: its folder, or its name if it is published; -p adds others",
    )
    .option("--app-version <version>", "version of the published app of --for-app (default: the newest)")
    .addOption(
      new Option("--expires <when>", "30d, 12h or a time such as 2027-01-31 (default: in a year)").argParser(
        lifetimeOf,
      ),
    )
    .option("--json", 'print {"id","token"} and nothing else')
    .addHelpText("after", CREATE_HELP)
    .action(create);
  token
    .command("list")
    .description("list the tokens of an account, newest first, without their values")
    .option("--account <name>", "the account (default: that of the running instance)")
    .option("--json", "print one line of JSON")
    .addHelpText("after", LIST_HELP)
    .action(list);
  token
    .command("revoke")
    .description("revoke a token before it expires")
    .argument("<id>", "id that create and list show")
    .addHelpText("after", REVOKE_HELP)
    .action(revoke);
};
