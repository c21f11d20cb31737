import { fileURLToPath } from "node:url";
import react from "@vitejs/plugin-react";
import { defineConfig, type Plugin } from "vite";
import { contractValues } from "../../scripts/contract-values.mjs";

/** Where `npx vite` sends the requests of the pages: a Parley that runs on this machine. */
const SERVICE = process.env["PARLEY_URL"] ?? "http://localhost:10002";
/** Addresses of the service. Everything else below /console/ are the pages. */
const SERVICE_PATHS = [
  "/console/api",
  "/admin",
  "/platform",
  "/v2",
  "/identity",
  "/sign-in",
  "/profile",
  "/objects",
  "/suite",
];

/** The sign-in leads to the address without a slash at its end. */
const addressWithoutSlash = (): Plugin => ({
  name: "address-without-slash",
  configureServer: ({ middlewares }) =>
    void middlewares.use((request, response, next) => {
      if (request.url !== "/console") return next();
      response.writeHead(302, { location: "/console/" }).end();
    }),
});

export default defineConfig({
  root: fileURLToPath(new URL(".", import.meta.url)),
  base: "/console/",
  plugins: [contractValues(), addressWithoutSlash(), react()],
  build: {
    // Modules that every page loads at its start are one file: each further file costs a request and its headers.
    rolldownOptions: {
      output: {
        codeSplitting: { groups: [{ name: "frame", tags: ["$initial"] }] },
      },
    },
    outDir: "dist/app",
    emptyOutDir: true,
    target: "es2022",
    modulePreload: {
      polyfill: false,
      // The first page lists what each of its imports needs. Pages of the administration are opened rarely: their files load as they are found.
      resolveDependencies: (file, needed) =>
        /assets\/(?:account|team|apps|reports|developers|overview-page|administration-layout)-/.test(file)
          ? []
          : needed,
    },
    // Inlined files would be data: URLs, which the content security policy refuses for fonts and scripts.
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    chunkSizeWarningLimit: 1_500,
  },
  server: {
    host: "127.0.0.1",
    port: 5173,
    proxy: Object.fromEntries(
      // The service accepts requests of pages of its own origin only.
      SERVICE_PATHS.map((path) => [path, { target: SERVICE, changeOrigin: true, headers: { origin: SERVICE } }]),
    ),
  },
});
