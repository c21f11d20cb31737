/** docs/compatibility.md, from what the apps did. */

const HEAD = `# Public apps that run here, unchanged

Each is taken as its authors published it, validated, started by \`parley run\`, installed through its page in a browser, opened beside a
live conversation, and used. Addresses outside are answered by a server of this machine, through \`--map\`. To repeat:
\`node test/compatibility/run.mjs\` ([how](../test/compatibility/README.md)).
`;

const ABOUT = `
## What validate says of them

Warnings don't keep an app from running or from being packed; errors are told at the start of \`parley run\` too. None of
these apps reads a secure value in a handler, which validate would warn of: handlers never get one.
`;

const linked = ({ name, repository, path }) =>
  `[${name}](https://github.com/${repository}${path === "." ? "" : `/tree/HEAD/${path}`})`;

const counted = (findings, level) => findings.filter((each) => each.level === level).length;

const number = (count, word) => (count === 0 ? "" : `${count} ${word}${count > 1 ? "s" : ""}`);

const verdictOf = (findings) =>
  [number(counted(findings, "error"), "error"), number(counted(findings, "warning"), "warning")]
    .filter(Boolean)
    .join(", ") || "nothing";

const escaped = (text) => text.replaceAll("|", "\\|").replaceAll("\n", " ").replaceAll("<", "&lt;");

const installedOf = ({ installed, why }) => (installed ? "yes" : escaped(why));

const findingsOf = ({ name, findings, verdict }) =>
  findings.length === 0
    ? ""
    : `
**${name}**${verdict ? `: ${verdict}` : ""}

${findings.map(({ level, code, file, line, message }) => `- ${level} \`${code}\`, ${file}${line ? `:${line}` : ""}: ${escaped(message)}`).join("\n")}
`;

/** @shape rows: apps.mjs with what run.mjs saw of each */
export const pageOf = (rows, date) => `${HEAD}
Last run: ${date}.

| app | validate | installed through its page | what was used |
|---|---|---|---|
${rows.map((row) => `| ${linked(row)} | ${verdictOf(row.findings)} | ${installedOf(row)} | ${row.installed ? escaped(row.saw) : "its page is shown; what it says is passed on"} |`).join("\n")}
${ABOUT}${rows.map(findingsOf).join("")}`;
