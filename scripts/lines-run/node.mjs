/** A Node for the app's process that tells what it has run. */
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

/** The host ends the app's process at once: what it has run is written before an answer leaves it, and a little later. */
const HOOK = `
const { takeCoverage } = require("node:v8");
const { Socket } = require("node:net");
const write = Socket.prototype.write;
let due;
Socket.prototype.write = function (text, ...rest) {
  if (String(text).startsWith('{"t":"done"')) {
    clearTimeout(due);
    due = setTimeout(takeCoverage, 50);
    due.unref();
    if (performance.now() - last > 100) take();
  }
  return write.call(this, text, ...rest);
};
let last = 0;
const take = () => {
  takeCoverage();
  last = performance.now();
};
`;

/**
 * Node forbids a process without rights to write what it has run: the app's is started without that, and its other doors stay closed.
 * @param reports folders of what the process of tests and that of the app have run
 * @returns a module to load first, which makes it the Node that processes are started with
 */
export function writeNode(folder, reports) {
  const [hook, node, preload] = ["hook.cjs", "node", "preload.mjs"].map((name) => join(folder, name));
  writeFileSync(hook, HOOK);
  writeFileSync(
    node,
    `#!/bin/sh
case "$1 $*" in
  --permission*|--experimental-permission*)
    shift
    NODE_V8_COVERAGE='${reports.app}' exec '${process.execPath}' --require '${hook}' "$@" ;;
  *test/runner/worker.mjs*) NODE_V8_COVERAGE='${reports.tests}' exec '${process.execPath}' "$@" ;;
  *) exec '${process.execPath}' --import='${pathToFileURL(preload)}' "$@" ;;
esac
`,
  );
  writeFileSync(preload, `process.execPath = ${JSON.stringify(node)};\n`);
  chmodSync(node, 0o755);
  return preload;
}
