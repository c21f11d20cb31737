import { CLOSED_ACCOUNT_DAYS, CLOSED_ACCOUNT_DAYS_MAX, type NewAccount } from "@parley/contract";
import { Option, type Command } from "commander";
import { connectAdmin } from "../admin/admin-client.ts";
import { CommandFailure } from "../environment/failure.ts";
import { confirmByTyping } from "../input/confirm.ts";
import { printable } from "../output/table.ts";

const PLANS: readonly NonNullable<NewAccount["plan_type"]>[] = ["Free", "Growth", "Pro", "Enterprise"];

const print = (text: string) => void process.stdout.write(`${printable(text)}\n`);

const CREATE_HELP = `
The account begins without customers: with the topic Inbox, the group Team, the
statuses Available and Away, and its owner as the only agent. The owner opens
the link, which is shown only once, and chooses a password.

Examples:
  npx parley account create lumen --owner ada@lumen.example
  npx parley account create lumen --owner ada@lumen.example --plan Growth --json`;

const CLOSE_HELP = `
All processes refuse the account's tokens and sessions within a second. When
the days are over, its customers, conversations, files and settings are
deleted for good; until then 'npx parley account reopen' undoes the close.
Backups contain the data until you delete them. Closing a closed account with
--after counts the days anew.

Examples:
  npx parley account close lumen
  npx parley account close lumen --after 7 --yes
  npx parley account close lumen --after 0               deletes it within minutes`;

const REOPEN_HELP = `
The account's tokens are valid again within a second, and events that were not
delivered are delivered. Agents sign in again.

Example:
  npx parley account reopen lumen`;

interface CreateOptions {
  readonly owner: string;
  readonly firstName?: string;
  readonly lastName?: string;
  readonly plan?: NonNullable<NewAccount["plan_type"]>;
  readonly json?: boolean;
}

async function create(name: string, { owner, firstName, lastName, plan, json }: CreateOptions): Promise<void> {
  const { calls } = await connectAdmin();
  const created = await calls.createAccount({
    body: {
      name,
      ...(plan && { plan_type: plan }),
      owner: {
        email: owner,
        ...(firstName !== undefined && { first_name: firstName }),
        ...(lastName !== undefined && { last_name: lastName }),
      },
    },
  });
  if (json) return print(JSON.stringify(created));
  const { account, email, link, expires_time } = created;
  print(
    [
      `Account  ${account}`,
      `Owner    ${email}`,
      `Link     ${link}`,
      `Expires  ${expires_time}`,
      "The link is shown only once: send it to the owner, who chooses a password there.",
    ].join("\n"),
  );
}

/** @errors CommandFailure */
const daysIn = (text: string): number => {
  const days = /^\d{1,4}$/.test(text) ? Number(text) : NaN;
  if (days <= CLOSED_ACCOUNT_DAYS_MAX) return days;
  throw new CommandFailure(`--after takes a number of days from 0 to ${CLOSED_ACCOUNT_DAYS_MAX}, not '${text}'.`);
};

const afterDays = (days: number): string => {
  if (days === 0) return "within minutes";
  return days === 1 ? "after a day" : `after ${days} days`;
};

interface CloseOptions {
  readonly after?: number;
  readonly yes?: boolean;
  readonly json?: boolean;
}

async function close(name: string, { after, yes, json }: CloseOptions): Promise<void> {
  const { calls } = await connectAdmin();
  // An unknown name is reported before the question.
  await calls.getAccount({ params: { account: name } });
  if (!yes)
    await confirmByTyping({
      expected: name,
      consequence: `This closes the account ${name}: its tokens and sessions are refused at once, and its data is deleted ${afterDays(after ?? CLOSED_ACCOUNT_DAYS)}.`,
      outcome: `The account ${name} was not closed.`,
    });
  const closed = await calls.closeAccount({
    params: { account: name },
    query: after === undefined ? {} : { after_days: after },
  });
  if (json) return print(JSON.stringify(closed));
  print(
    [
      `Closed ${closed.account}: its tokens and sessions are refused.`,
      `Its data is deleted at ${closed.deletion_time}. 'npx parley account reopen ${closed.account}' undoes the close until then.`,
    ].join("\n"),
  );
}

async function reopen(name: string, { json }: { readonly json?: boolean }): Promise<void> {
  const { calls } = await connectAdmin();
  const reopened = await calls.reopenAccount({ params: { account: name } });
  print(
    json ? JSON.stringify(reopened) : `Reopened ${reopened.account}: its tokens are valid, and agents can sign in.`,
  );
}

/** Adds `create`, `close` and `reopen` to `parley account`. */
export const addAccountLifecycle = (account: Command) => {
  account
    .command("create")
    .description("create an account without demo data, and invite its owner")
    .argument("<name>", "lower-case letters, digits and hyphens")
    .requiredOption("--owner <email>", "e-mail address of the owner")
    .option("--first-name <name>", "first name of the owner")
    .option("--last-name <name>", "last name of the owner")
    .addOption(new Option("--plan <plan>", "plan of the account (default: Free)").choices(PLANS))
    .option("--json", "print one line of JSON")
    .addHelpText("after", CREATE_HELP)
    .action(create);
  account
    .command("close")
    .description("close an account, and delete its data after some days")
    .argument("<name>", "the account")
    .addOption(
      new Option("--after <days>", `days until the deletion (default: ${CLOSED_ACCOUNT_DAYS})`).argParser(daysIn),
    )
    .option("--yes", "don't ask for confirmation")
    .option("--json", "print one line of JSON")
    .addHelpText("after", CLOSE_HELP)
    .action(close);
  account
    .command("reopen")
    .description("reopen a closed account whose data is not deleted yet")
    .argument("<name>", "the account")
    .option("--json", "print one line of JSON")
    .addHelpText("after", REOPEN_HELP)
    .action(reopen);
};
