import type { Command } from "commander";
import { CommandFailure } from "../environment/failure.ts";
import { connectAdmin } from "../admin/admin-client.ts";
import { printable } from "../output/table.ts";

const HELP = `
Run it on the server: it needs the admin key. The link signs in without a password and a second factor, once and within 15 minutes. Whoever has
the link can use it: do not send it to others. The link begins with PARLEY_PUBLIC_URL of the running instance, if it is set.

Examples:
  npx parley sign-in                                     the first active agent with the role Account admin
  npx parley sign-in --account mine --email ann@example.com
  npx parley sign-in --json                              prints one line of JSON`;

interface Options {
  readonly account?: string;
  readonly email?: string;
  readonly json?: boolean;
}

async function createLink({ account, email, json = false }: Options): Promise<void> {
  const { instance, calls } = await connectAdmin();
  const owner = account ?? instance.account;
  // `parley serve` without --demo has no account of its own.
  if (owner === "") throw new CommandFailure("Name the account: npx parley sign-in --account <account>.");
  const created = await calls.createSignInLink({
    params: { account: owner },
    body: email === undefined ? {} : { email },
  });
  const text = json
    ? JSON.stringify(created)
    : [
        `Link        ${created.link}`,
        `Signs in    ${printable(created.email)}`,
        `Account     ${created.account}`,
        `Valid until ${created.expires_time}, once`,
        "Open the link in a browser. Whoever has it can sign in with it.",
      ].join("\n");
  process.stdout.write(`${text}\n`);
}

/** `parley sign-in`: creates a link that signs in an agent, on the server. */
export const addSignIn = (program: Command) =>
  void program
    .command("sign-in")
    .description("print a link that signs in an agent, once and within 15 minutes")
    .option("--account <account>", "the account (default: that of the running instance)")
    .option("--email <address>", "e-mail address of the agent (default: the first account admin)")
    .option("--json", "print one line of JSON")
    .addHelpText("after", HELP)
    .action(createLink);
