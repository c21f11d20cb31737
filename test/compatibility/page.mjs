/** The apps' part of docs/compatibility.md, from what they did. */
import { escaped, failuresOf } from "./document.mjs";

const HEAD = `# Public apps and clients that run here, unchanged

Each app is taken as its authors published it, at the commit that stands here, and used as its users would: validated, packed, started by
\`parley run\`, installed through its page in a browser (which grants its connections), each of its pages opened beside a live conversation
and its buttons pressed, each of its events raised, each of its functions called. Addresses outside are answered by a server of this
machine, through \`--map\`. Events of other products carry records that the run makes up.

To repeat it, or to judge an app of your own ([more](../test/compatibility/README.md)):

\`\`\`
npm run compat -- --list
npm run compat -- path/to/app path/to/package.zip
\`\`\`

Clients of the API follow [the apps](#clients).
`;

const ABOUT = `
"Its own" is a fault that the app has wherever it runs; "not here" is what this machine or this service has nothing of, such as records of
another product; "Parley's" is a defect or a limit of Parley.

Parley follows the specification where a client expects something else: a bot's message has no \`actor_id\`, \`PUT /users/{id}\` ignores
\`properties\`, and a list of users needs a filter.
`;

const needsOf = ({ needs }) => needs.map((need) => `\`${escaped(need)}\``).join("<br>");
const sawOf = ({ steps }) => steps.flatMap(({ saw }) => (saw ? [escaped(saw)] : [])).join("<br>");

const row = (record) => {
  const { path, steps } = record;
  const worked = steps.filter(({ ok }) => ok).length;
  const said = [sawOf(record), failuresOf(record)].filter(Boolean).join("<br>");
  return `| ${path === "." ? "(the repository)" : escaped(path)} | ${worked} of ${steps.length} | ${needsOf(record)} | ${said} |`;
};

const section = ([repository, records]) => `
### ${repository}

[\`${records[0].commit.slice(0, 12)}\`](https://github.com/${repository}/tree/${records[0].commit})

| app | worked | needs | what did not, and whose fault it is |
|---|---|---|---|
${records.map(row).join("\n")}
`;

const byRepository = (records) => {
  const found = new Map();
  for (const record of records) found.set(record.repository, [...(found.get(record.repository) ?? []), record]);
  return [...found];
};

/** @shape records: what run.mjs saw of each app; counts: {whole, explained, failed}; date: of the run */
export const pageOf = (records, { whole, explained, failed }, date) => `${HEAD}
## Result

${date}: ${records.length} apps of ${byRepository(records).length} repositories. ${whole} work whole, ${explained} have failures that are not Parley's, ${failed} fail for
a reason of Parley's.
${ABOUT}
## Apps
${byRepository(records).map(section).join("")}`;
