/** A replacement of the Node executable that records the coverage of the app's process. */
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

/** The host kills the app's process, so the coverage is written before a response is sent, and again shortly after. */
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
 * With its permission flags Node could not write coverage files. The wrapper starts the app's process without that flag and keeps all other
 * options.
 * @param reports folders for the coverage of the test process and of the app's process
 * @returns a module to load first, which makes child processes start with the wrapper
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
