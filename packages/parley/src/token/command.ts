import { Option, type Command } from "commander";
import { PERMISSIONS, type AccessToken, type NewAccessToken, type Permission } from "@parley/contract";
import { connectAdmin } from "../admin/connect.ts";
import { pagesOf } from "../admin/calls.ts";
import { table } from "../admin/table.ts";
import { UsageFailure } from "../failure.ts";
import { lifetimeOf } from "./lifetime.ts";

const print = (text: string) => void process.stdout.write(`${text}\n`);

const CREATE_HELP = `
The token is shown this once: the service keeps what recognizes it, not the token.

Permissions: ${PERMISSIONS.join(", ")}

Examples:
  parley token create                                          for everything, for a year
  parley token create --name sync --expires 30d -p user:read -p conversation:read
  parley token create --account load --json                    prints {"id","token"} and nothing else`;

const LIST_HELP = `
Examples:
  parley token list
  parley token list --account load --json`;

const REVOKE_HELP = `
Within a second no process takes the token any more.

Example:
  parley token revoke 01890000-0000-7000-8000-000000000001`;

interface CreateOptions {
  readonly account?: string;
  readonly name: string;
  readonly permission?: readonly Permission[];
  readonly expires?: ReturnType<typeof lifetimeOf>;
  readonly json?: boolean;
}

const permissionIn = (text: string, before: readonly Permission[] = []): readonly Permission[] => {
  const known = PERMISSIONS.find((permission) => permission === text);
  if (known) return [...before, known];
  throw new UsageFailure(`There is no permission '${text}'. Choose from: ${PERMISSIONS.join(", ")}.`);
};

async function create({ account, name, permission, expires, json }: CreateOptions): Promise<void> {
  const { instance, calls } = await connectAdmin();
  const owner = account ?? instance.account;
  const body: NewAccessToken = { name, ...(permission && { permissions: [...permission] }), ...expires };
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
      "It is shown this once: keep it where nobody else reads it.",
    ].join("\n"),
  );
}

const stateOf = ({ revoked_time, expires_time }: AccessToken): string =>
  revoked_time === undefined ? `expires ${expires_time}` : `revoked ${revoked_time}`;

async function list({ account, json }: { readonly account?: string; readonly json?: boolean }): Promise<void> {
  const { instance, calls } = await connectAdmin();
  const params = { account: account ?? instance.account };
  const tokens: AccessToken[] = [];
  for await (const reply of pagesOf((page) => calls.listTokens({ params, query: { page, items_per_page: 100 } })))
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
  print(`Revoked ${token.id} (${token.name}): within a second nobody takes it.`);
}

/** `parley token`: who may call an account. */
export const addToken = (program: Command) => {
  const token = program.command("token").description("create, list and revoke the tokens (API keys) of an account");
  token
    .command("create")
    .description("create a token and show it, once")
    .option("--account <name>", "the account; that of the running instance when absent")
    .option("--name <name>", "what the token is called in lists", "command line")
    .addOption(
      new Option("-p, --permission <name>", "what it may do; may be repeated; everything when absent").argParser(
        permissionIn,
      ),
    )
    .addOption(
      new Option("--expires <when>", "30d, 12h or a time such as 2027-01-31; a year when absent").argParser(lifetimeOf),
    )
    .option("--json", 'print {"id","token"} and nothing else')
    .addHelpText("after", CREATE_HELP)
    .action(create);
  token
    .command("list")
    .description("list the tokens of an account, the newest first; never the token itself")
    .option("--account <name>", "the account; that of the running instance when absent")
    .option("--json", "print one line of JSON")
    .addHelpText("after", LIST_HELP)
    .action(list);
  token
    .command("revoke")
    .description("end a token before its time")
    .argument("<id>", "the id that create and list show")
    .addHelpText("after", REVOKE_HELP)
    .action(revoke);
};
