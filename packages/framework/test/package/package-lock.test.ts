import { describe, expect, test } from "@jest/globals";
import { checkLock, PackagesRefused } from "../../src/package/dependencies/package-tree.ts";

/** Permitted contents of an installation's lockfile, however npm produced it. */

describe("a lockfile", () => {
  const REGISTRY = "https://packages.example.com/npm/";
  const sound = { version: "1.0.0", resolved: `${REGISTRY}sound/-/sound-1.0.0.tgz`, integrity: "sha512-x" };
  const check = (path: string, entry: object) => () => checkLock({ packages: { "": {}, [path]: entry } }, [REGISTRY]);

  test("with packages of the registry and their bundled dependencies is accepted", () => {
    expect(check("node_modules/sound", sound)).not.toThrow();
    expect(check("node_modules/@scope/sound/node_modules/inner", sound)).not.toThrow();
    expect(check("node_modules/sound/node_modules/inner", { version: "1.0.0", inBundle: true })).not.toThrow();
  });

  test.each<[string, string, object]>([
    ["a link", "node_modules/sound", { ...sound, link: true }],
    ["a folder", "node_modules/sound", { ...sound, resolved: "file:../outside" }],
    ["a git repository", "node_modules/sound", { ...sound, resolved: "git+ssh://git@example.com/x.git#1" }],
    ["another host", "node_modules/sound", { ...sound, resolved: "https://example.com/x.tgz" }],
    ["another port", "node_modules/sound", { ...sound, resolved: "https://packages.example.com:8443/x.tgz" }],
    ["an unencrypted URL", "node_modules/sound", { ...sound, resolved: "http://packages.example.com/x.tgz" }],
    ["another name", "node_modules/sound", { ...sound, name: "other" }],
    ["no checksum", "node_modules/sound", { ...sound, integrity: undefined }],
    ["no source", "node_modules/sound", { ...sound, resolved: undefined }],
    ["no version", "node_modules/sound", { ...sound, version: "file:x" }],
    ["a location outside node_modules", "../outside", sound],
    ["a name with a parent path", "node_modules/../../outside", sound],
    ["a name that starts with a dot", "node_modules/.bin", sound],
  ])("with %s is rejected", (_title, path, entry) => {
    expect(check(path, entry)).toThrow(PackagesRefused);
  });

  test("without packages is rejected", () => {
    expect(() => checkLock({}, [REGISTRY])).toThrow(PackagesRefused);
  });
});
