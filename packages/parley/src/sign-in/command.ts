import type { Command } from "commander";
import { connectAdmin } from "../admin/admin-client.ts";
import { CommandFailure } from "../environment/failure.ts";
import { printable } from "../output/table.ts";

const HELP = `
The link signs in one agent, once and within 15 minutes. Anyone who opens it is signed in: pass it on to this agent only. It needs no
password and no e-mail, so that the first admin of an account and an admin who lost the password or the second factor can sign in.

Examples:
  npx parley sign-in                                       the first admin of the running instance's account
  npx parley sign-in --account mine --email kim@mine.example
  npx parley sign-in --json                                prints {"link","account","agent_id","email","expires_time"}`;

interface Options {
  readonly account?: string;
  readonly email?: string;
  readonly json?: boolean;
}

async function createLink({ account, email, json = false }: Options): Promise<void> {
  const { instance, calls } = await connectAdmin();
  const owner = account ?? instance.account;
  if (owner === "")
    throw new CommandFailure("Name the account with --account: 'npx parley account list' shows the accounts.");
  const created = await calls.createSignInLink({
    params: { account: owner },
    body: { ...(email !== undefined && { email }) },
  });
  const { link, agent_id, expires_time } = created;
  const text = json
    ? JSON.stringify({ link, account: created.account, agent_id, email: created.email, expires_time })
    : [
        `Link     ${link}`,
        `Account  ${created.account}`,
        `Agent    ${printable(created.email)}`,
        `Expires  ${expires_time}, or when it is used`,
        "Anyone who opens the link is signed in as this agent.",
      ].join("\n");
  process.stdout.write(`${text}\n`);
}

/** `parley sign-in`: creates a link that signs in an agent. */
export const addSignIn = (program: Command) => {
  program
    .command("sign-in")
    .description("create a link that signs an agent in, once and within 15 minutes")
    .option("--account <name>", "the account (default: that of the running instance)")
    .option("--email <address>", "e-mail address of the agent (default: the first admin of the account)")
    .option("--json", "print one line of JSON")
    .addHelpText("after", HELP)
    .action(createLink);
};
