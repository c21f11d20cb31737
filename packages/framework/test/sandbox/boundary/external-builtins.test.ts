import { expect, test } from "@jest/globals";
import { externalBuiltins } from "../../../src/sandbox/confined-program.ts";

test("parts of Node that Debian keeps in files of their own belong to the files that Node needs", () => {
  const defines = [
    "NODE_OPENSSL_CONF_NAME=nodejs_conf",
    "NODE_SHARED_BUILTIN_CJS_MODULE_LEXER_LEXER_PATH=/usr/share/nodejs/cjs-module-lexer/lexer.js",
    "NODE_SHARED_BUILTIN_UNDICI_UNDICI_PATH=/usr/share/nodejs/undici/undici-fetch.js",
    "ICU_NO_USER_DATA_OVERRIDE",
  ];
  expect(externalBuiltins({ target_defaults: { defines } })).toEqual([
    "/usr/share/nodejs/cjs-module-lexer/lexer.js",
    "/usr/share/nodejs/undici/undici-fetch.js",
  ]);
});

test("a Node that has all of its parts in its executable needs no further file", () => {
  expect(externalBuiltins({})).toEqual([]);
  expect(externalBuiltins({ target_defaults: { defines: [] } })).toEqual([]);
});
