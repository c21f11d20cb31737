import { CommandFailure } from "../environment/failure.ts";
import { resolve } from "node:path";
import { Option, type Command } from "commander";
import {
  durationWithUnit,
  PERMISSIONS,
  type AccessToken,
  type NewAccessToken,
  type Permission,
} from "@parley/contract";
import { keyPermissions, findingLine, createProjectTools, loadProject } from "@parley/framework/authoring";
import { connectAdmin, listPages } from "../admin/admin-client.ts";
import { table } from "../output/table.ts";
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

Permissions: ${PERMISSIONS.join(", ")}

Examples:
  npx parley token create                                          all permissions, valid for a year
  npx parley token create --name sync --expires 30d -p user:read -p conversation:read
  npx parley token create --for-app .                              with the permissions that the app in this folder needs
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
  readonly expires?: ReturnType<typeof lifetimeOf>;
  readonly json?: boolean;
}

const permissionIn = (text: string, previous: readonly Permission[] = []): readonly Permission[] => {
  const permission = PERMISSIONS.find((each) => each === text);
  if (permission) return [...previous, permission];
  throw new CommandFailure(`There is no permission '${text}'. Choose from: ${PERMISSIONS.join(", ")}.`);
};

/**
 * Permissions that an app's key needs. Named permissions are added, and are required when those of the app can't be derived.
 * @errors CommandFailure for an app that can't be loaded, whose permissions can't be derived while none are named, or that needs none
 */
async function permissionsOfApp(dir: string, named: readonly Permission[]): Promise<readonly Permission[]> {
  const folder = await appFolder(resolve(dir));
  const { project, findings } = await loadProject(folder, await createProjectTools());
  if (!project) {
    const [first] = findings.filter(({ level }) => level === "error");
    throw new CommandFailure(
      `The app in ${folder} can't be read: ${first ? findingLine(first) : "'npx parley validate' says why"}. Correct it, or name permissions with -p.`,
    );
  }
  const { permissions, undecided } = keyPermissions(project, DOMAIN_SUFFIX);
  if (undecided.length > 0 && named.length === 0)
    throw new CommandFailure(
      `The permissions of ${project.name} can't be derived: ${undecided.map(({ place, reason }) => `${place}: ${reason}`).join("; ")}. ` +
        `Name what else it needs with -p${permissions.length > 0 ? `, besides ${permissions.join(", ")}` : ""}.`,
    );
  const all = PERMISSIONS.filter((permission) => permissions.includes(permission) || named.includes(permission));
  if (all.length > 0) return all;
  throw new CommandFailure(`${project.name} does not call the account's API: it needs no token.`);
}

async function create({ account, name, permission, forApp, expires, json }: CreateOptions): Promise<void> {
  const { instance, calls } = await connectAdmin();
  const owner = account ?? instance.account;
  const requested = forApp === undefined ? permission : await permissionsOfApp(forApp, permission ?? []);
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
      ["id", "name", "state", "may do"],
      tokens.map((token) => [token.id, token.name, stateOf(token), scopeOf(token)]),
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
    .option("--for-app <dir>", "permissions that an app's request templates need; -p adds others")
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
