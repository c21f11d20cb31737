/**
 * Adds the system calls of seccomp-additions.json, which the isolation of apps needs, to the default profile of a container engine:
 *
 *   node seccomp.mjs /usr/share/containers/seccomp.json > parley-seccomp.json
 *
 * The default profile of podman is in this file; that of Docker is `profiles/seccomp/default.json` of its source.
 */
import { readFileSync, realpathSync } from "node:fs";
import { fileURLToPath } from "node:url";

const ADDITIONS = new URL("seccomp-additions.json", import.meta.url);

/** A profile refuses by its default or by a rule. A call of an addition is removed from rules that refuse it. */
export function withAdditions(profile, additions) {
  const { names, action } = additions;
  const others = profile.syscalls.flatMap((rule) => {
    if (rule.action === action) return [rule];
    const kept = rule.names.filter((name) => !names.includes(name));
    return kept.length === 0 ? [] : [{ ...rule, names: kept }];
  });
  return { ...profile, syscalls: [...others, { names, action }] };
}

function main([file]) {
  if (file === undefined) throw new Error("Name the engine's default profile: node seccomp.mjs <profile>");
  const profile = JSON.parse(readFileSync(file, "utf8"));
  if (!Array.isArray(profile.syscalls) || profile.syscalls.some(({ names }) => !Array.isArray(names)))
    throw new Error(`${file} is not a seccomp profile: it has no list "syscalls" with "names". Nothing was written.`);
  const additions = JSON.parse(readFileSync(ADDITIONS, "utf8"));
  process.stdout.write(`${JSON.stringify(withAdditions(profile, additions), null, 2)}\n`);
}

if (process.argv[1] !== undefined && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  try {
    main(process.argv.slice(2));
  } catch (error) {
    process.stderr.write(`seccomp: ${error.message}\n`);
    process.exitCode = 1;
  }
}
