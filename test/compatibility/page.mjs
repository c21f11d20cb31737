/** Prints the apps' part of docs/app-authors/compatibility.md. */
import { escaped, failuresOf } from "./document.mjs";

const HEAD = `# Compatibility

See which public apps and API clients run on Parley unchanged, and test your own:

\`\`\`
npm run compat -- path/to/app path/to/package.zip
\`\`\`

Each app is used as its authors published it, at the named commit, and as its users would: it is validated, packed, published on one \`parley serve\`, installed
on an account with the consents that it needs (through its page in a browser where it has a page, callbacks or connections of its own), each of its pages is opened in the console with a live conversation and its buttons are pressed, each of its events is
raised, each of its functions is called. Other services are answered by a server on the same machine, with \`--map\`. Events of other products carry sample
records. \`npm run compat -- --list\` repeats the run ([how](../../test/compatibility/README.md)).

API clients are listed [below the apps](#clients), and sites and packages that embed the [messenger](#messenger).
`;

const ABOUT = `
"Its own" is a fault that the app has on every host. "Not here" needs something that this machine or this service does not have, such as records of another
product. "Parley's" is a defect or a limit of Parley.

Parley follows the specification where a client expects something else: messages of bots have no \`actor_id\`, \`PUT /users/{id}\` ignores
\`properties\`, and a list of users needs a filter.
`;

const needsOf = ({ needs }) => needs.map((need) => `\`${escaped(need)}\``).join("<br>");
const sawOf = ({ steps }) => steps.flatMap(({ saw }) => (saw ? [escaped(saw)] : [])).join("<br>");

const row = (record) => {
  const { path, steps } = record;
  const worked = steps.filter(({ ok }) => ok).length;
  const notes = [sawOf(record), failuresOf(record)].filter(Boolean).join("<br>");
  return `| ${path === "." ? "(the repository)" : escaped(path)} | ${worked} of ${steps.length} | ${needsOf(record)} | ${notes} |`;
};

const section = ([repository, records]) => `
### ${repository}

[\`${records[0].commit.slice(0, 12)}\`](https://github.com/${repository}/tree/${records[0].commit})

| app | steps that worked | needs | failures, and their cause |
|---|---|---|---|
${records.map(row).join("\n")}
`;

const byRepository = (records) => {
  const found = new Map();
  for (const record of records) found.set(record.repository, [...(found.get(record.repository) ?? []), record]);
  return [...found];
};

/** @shape records: results of run.mjs for each app; counts: {complete, explained, failed}; date: of the run */
export const pageOf = (records, { complete, explained, failed }, date) => `${HEAD}
## Result

${date}: ${records.length} apps of ${byRepository(records).length} repositories. ${complete} work completely, ${explained} have failures that Parley
does not cause, ${failed} fail because of Parley.
${ABOUT}
## Apps
${byRepository(records).map(section).join("")}`;
