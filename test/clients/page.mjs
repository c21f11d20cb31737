/** The clients' part of docs/compatibility.md, from what they did. */
import { escaped, failuresOf } from "../compatibility/document.mjs";

const ABOUT = `
Each client is taken as its authors published it, at the commit or version that stands here, pointed at a Parley of this machine (by its
setting of the address, or by a proxy on loopback where the host stands in its code), and everything that it offers is used once. To repeat
it: \`node test/clients/run.mjs\` ([more](../test/clients/README.md)).
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

/** @shape records: what run.mjs saw of each client; counts: {whole, explained, failed}; date: of the run */
export const pageOf = (records, { whole, explained, failed }, date) => `
${date}: ${records.length} clients. ${whole} work whole, ${explained} have failures that are not Parley's, ${failed} fail for a reason of Parley's.
${ABOUT}
| client | language | worked | what worked | what did not, and whose fault it is | needs |
|---|---|---|---|---|---|
${records.map(row).join("\n")}
`;
