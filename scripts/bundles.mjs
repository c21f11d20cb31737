/** The bundles of each package, which scripts/build.mjs builds. */

/** Entry for Node: ESM in the package's own folder. `src/x.ts` and `dist/x.js` have the same depth, so relative asset paths are equal. */
const NODE = ["src/index.ts"];
/**
 * Packages with their entries: `node` as ESM, `cjs` for the app's process, `page` for browsers, `module` as ESM for bundlers of pages;
 * `application` is built by Vite.
 * `derivedFrom` are packages whose sources the bundles contain.
 */
export const PACKAGES = [
  { name: "contract", node: NODE, module: ["src/display/display.ts", "src/display/emoji.ts"] },
  { name: "client", node: NODE, module: ["src/session.ts", "src/admin/admin.ts"], derivedFrom: ["contract"] },
  { name: "database", node: [...NODE, "src/testing.ts"] },
  { name: "egress", node: NODE },
  { name: "ingress", node: NODE },
  { name: "telemetry", node: NODE },
  {
    name: "service",
    node: [
      ...NODE,
      "src/operations/configuration/config.ts",
      "src/base/objects/places.ts",
      "src/base/environment/ports.ts",
      "src/operation.ts",
    ],
  },
  {
    name: "framework",
    node: [
      ...NODE,
      "src/authoring.ts",
      "src/operation.ts",
      "src/testing.ts",
      "src/testing/transform.ts",
      "src/publishing/program/preparation-program.ts",
    ],
    cjs: ["src/runtime/child/child.ts", "src/package/bundler/program/bundler-program.ts", "src/testing.ts"],
    page: [
      "src/installation/page/browser/installation-form.ts",
      "src/installation/page/browser/frame.ts",
      "src/installation/page/browser/own-page.ts",
      "src/installation/page/browser/consents.ts",
      "src/installation/page/browser/app-settings.ts",
      "src/installation/page/browser/own-client.ts",
      "src/installation/page/views/installation-page.css",
      "src/front/browser/conversation-page.ts",
      "src/front/embedded/embed-page.ts",
      "src/front/client/client.ts",
    ],
    derivedFrom: ["contract"],
  },
  {
    name: "console",
    node: NODE,
    application: ["src/app/main.tsx", "src/sign-in/main.ts"],
    derivedFrom: ["contract", "client", "messenger"],
  },
  {
    name: "messenger",
    node: NODE,
    page: ["src/loader/widget.ts"],
    module: ["src/loader/panel-connection.ts", "src/loader/chat-button.ts"],
    application: "src/panel/main.tsx",
    derivedFrom: ["contract"],
  },
  { name: "parley", node: NODE },
];
