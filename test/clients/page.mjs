/** Prints the clients' part of docs/app-authors/compatibility.md. */
import { escaped, failuresOf } from "../compatibility/document.mjs";

const ABOUT = `
Each client is used as its authors published it, at the named commit or version, with the address of a local Parley (by its setting, or by a proxy on
loopback if the host is in its code), and each of its functions is called. Repeat the run with \`node test/clients/run.mjs\`
([how](../../test/clients/README.md)).
`;

const row = (record) => {
  const { repository, commit, package: packageName, version, language, needs, steps } = record;
  const client = repository
    ? `[${repository}](https://github.com/${repository}/tree/${commit}) \`${commit.slice(0, 12)}\``
    : `npm package \`${packageName}\` ${version}`;
  const worked = steps.filter(({ ok }) => ok).map(({ step }) => step);
  const cells = [client, language, `${worked.length} of ${steps.length}`, escaped(worked.join("; "))];
  return `| ${[...cells, failuresOf(record), escaped(needs.join(", "))].join(" | ")} |`;
};

/** @shape records: results of run.mjs for each client; counts: {complete, explained, failed}; date: of the run */
export const pageOf = (records, { complete, explained, failed }, date) => `
${date}: ${records.length} clients. ${complete} work completely, ${explained} have failures that Parley does not cause, ${failed} fail because of Parley.
${ABOUT}
| client | language | steps that worked | what worked | failures, and their cause | needs |
|---|---|---|---|---|---|
${records.map(row).join("\n")}
`;
