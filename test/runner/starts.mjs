/** Counts what a test file starts: instances, browsers and other processes. Unlike a duration, the number is the same on every machine. */
import { createRequire, syncBuiltinESMExports } from "node:module";
import { basename } from "node:path";

const BROWSER = /^(?:chrom|google-chrome|firefox|WebKitWebDriver$)/;
/** The start script, and the commands that run a service or a platform until they are stopped. */
const INSTANCE = /(?:\/scripts\/start\.mjs|[/ ]parley(?:\.mjs)? (?:start|serve|run))(?: |$)/;
/** Calls that only ask for the version or the help of a program that would go on running. */
const QUESTION = / --(?:help|version)(?: |$)/;

/** @shape words: the program and its arguments @returns "browsers", "instances" or "processes" */
export const kindOfStart = (words) => {
  const line = words.join(" ");
  if (QUESTION.test(line)) return "processes";
  if (BROWSER.test(basename(words[0] ?? ""))) return "browsers";
  return INSTANCE.test(line) ? "instances" : "processes";
};

const none = () => ({ instances: 0, browsers: 0, processes: 0 });
let counts = none();

/** Counts the starts of this process from now on. Called once, before any test is loaded. */
export const countStarts = () => {
  const childProcess = createRequire(import.meta.url)("node:child_process");
  const note = (words) => void (counts[kindOfStart(words.map(String))] += 1);
  // spawn, fork, exec and execFile all call this method.
  const { spawn } = childProcess.ChildProcess.prototype;
  childProcess.ChildProcess.prototype.spawn = function (options) {
    note([options.file, ...(options.args ?? []).slice(1)]);
    return spawn.call(this, options);
  };
  for (const name of ["spawnSync", "execFileSync", "execSync"]) {
    const original = childProcess[name];
    childProcess[name] = (command, ...rest) => {
      note(name === "execSync" ? String(command).split(" ") : [command, ...(Array.isArray(rest[0]) ? rest[0] : [])]);
      return original(command, ...rest);
    };
  }
  syncBuiltinESMExports();
};

/** -> the starts since the last call @shape {instances, browsers, processes} */
export const takeStarts = () => {
  const taken = counts;
  counts = none();
  return taken;
};
