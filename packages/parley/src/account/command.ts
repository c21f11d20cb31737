import { AccountDocument, type AppliedDocument, type AccountSummary } from "@parley/contract";
import { readDocument } from "../input/json.ts";
import { styleText } from "node:util";
import { printable, table } from "../output/table.ts";
import type { Command } from "commander";
import { addAccountLifecycle } from "./lifecycle.ts";
import { connectAdmin, listPages } from "../admin/admin-client.ts";

const EXPECTED = `an object with the account's name: {"name": "acme", …}`;

const expectedShape = (value: unknown): string | undefined => {
  const name = typeof value === "object" && value !== null && "name" in value ? value.name : undefined;
  return typeof name !== "string" || name === "" ? EXPECTED : undefined;
};

/** Reads the document of an account. Only the name is checked here; the service validates the rest and names the faulty member. @errors CommandFailure */
const documentIn = async (file: string): Promise<AccountDocument> =>
  (await readDocument(file, AccountDocument, expectedShape)) as AccountDocument;

type Change = AppliedDocument["changes"][number];

const CHANGE_MARKS = { create: ["+", "green"], update: ["~", "yellow"], remove: ["-", "red"] } as const;

const lineOf = ({ change, section, name, members }: Change): string => {
  const [sign, colour] = CHANGE_MARKS[change];
  const what = members.length > 0 ? ` (${members.join(", ")})` : "";
  return `${styleText(colour, sign)} ${section} ${printable(name).replaceAll("\n", " ")}${what}`;
};

/** Text report of an applied document: one line for each change, then the counts. */
const accountReport = ({ changes, unchanged, dry_run }: AppliedDocument): string => {
  const count = (change: Change["change"]) => changes.filter((each) => each.change === change).length;
  const counts =
    changes.length === 0
      ? `nothing to change (${unchanged} unchanged)`
      : `${count("create")} created, ${count("update")} changed, ${count("remove")} removed, ${unchanged} unchanged`;
  const note = dry_run && changes.length > 0 ? "  (dry run: nothing was changed)" : "";
  return [...changes.map(lineOf), `= ${counts}${note}`].join("\n");
};

const print = (text: string) => void process.stdout.write(`${text}\n`);

const APPLY_HELP = `
docs/admins/account.md describes the document; docs/examples/account.json is an example. Members that the document leaves out stay
unchanged. The changes are applied atomically; applying the same document again changes nothing.

Examples:
  npx parley account apply account.json --dry-run        shows the changes without making them
  npx parley account apply account.json
  npx parley account apply account.json --prune          also removes entries that its lists don't contain
  npx parley account export acme | npx parley account apply -`;

const EXPORT_HELP = `
Examples:
  npx parley account export acme > acme.json             to keep, or to edit and apply again
  npx parley account export acme | jq .channels`;

const LIST_HELP = `
Examples:
  npx parley account list
  npx parley account list --json`;

interface ApplyOptions {
  readonly dryRun?: boolean;
  readonly prune?: boolean;
  readonly json?: boolean;
}

async function apply(file: string, { dryRun, prune, json }: ApplyOptions): Promise<void> {
  const body = await documentIn(file);
  const { calls } = await connectAdmin();
  const applied = await calls.applyAccount({
    params: { account: body.name },
    query: { dry_run: dryRun, prune },
    body,
  });
  print(json ? JSON.stringify(applied) : accountReport(applied));
}

async function exportAccount(account: string): Promise<void> {
  const { calls } = await connectAdmin();
  print(JSON.stringify(await calls.getAccount({ params: { account } }), null, 2));
}

const stateOf = ({ closed_time, deletion_time }: AccountSummary): string =>
  closed_time === undefined ? "open" : `closed, deleted at ${deletion_time}`;

async function list({ json }: { readonly json?: boolean }): Promise<void> {
  const { calls, origin } = await connectAdmin();
  const accounts: AccountSummary[] = [];
  for await (const reply of listPages((page) => calls.listAccounts({ query: { page, items_per_page: 100 } })))
    accounts.push(...reply.accounts);
  if (json) return print(JSON.stringify(accounts));
  print(
    table(
      ["name", "plan", "kind", "state", "address"],
      accounts.map((account) => {
        const { name, plan_type, bundle, base_path } = account;
        return [name, plan_type, bundle.type, stateOf(account), origin + base_path];
      }),
    ),
  );
}

/** `parley account`: creates, sets up, lists and ends accounts. */
export const addAccount = (program: Command) => {
  const account = program.command("account").description("create, change, show, list and close accounts");
  addAccountLifecycle(account);
  account
    .command("apply")
    .description("create an account, or change it, as a document describes")
    .argument("<file>", "the document; - reads standard input")
    .option("--dry-run", "show the changes without making them")
    .option("--prune", "remove entries that the document's lists don't contain")
    .option("--json", "print one line of JSON")
    .addHelpText("after", APPLY_HELP)
    .action(apply);
  account
    .command("export")
    .description("print the document of an account")
    .argument("<name>", "the account")
    .addHelpText("after", EXPORT_HELP)
    .action(exportAccount);
  account
    .command("list")
    .description("list the accounts, their addresses, and when closed accounts are deleted")
    .option("--json", "print one line of JSON")
    .addHelpText("after", LIST_HELP)
    .action(list);
};
