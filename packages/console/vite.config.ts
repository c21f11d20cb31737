import { fileURLToPath } from "node:url";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

/** Where `npx vite` sends the requests of the pages: a Parley that runs on this machine. */
const SERVICE = process.env["PARLEY_URL"] ?? "http://localhost:10002";
/** Addresses of the service. Everything else below /console/ are the pages. */
const SERVICE_PATHS = ["/console/api", "/v2", "/identity", "/sign-in", "/profile", "/objects", "/suite", "/page-ticket"];

export default defineConfig({
  root: fileURLToPath(new URL(".", import.meta.url)),
  base: "/console/",
  plugins: [react()],
  resolve: { conditions: ["parley-source", "module", "browser", "development|production"] },
  build: {
    outDir: "dist/app",
    emptyOutDir: true,
    target: "es2022",
    modulePreload: { polyfill: false },
    // Inlined files would be data: URLs, which the content security policy refuses for fonts and scripts.
    assetsInlineLimit: 0,
    reportCompressedSize: false,
  },
  server: {
    host: "127.0.0.1",
    port: 5173,
    proxy: Object.fromEntries(
      SERVICE_PATHS.map((path) => [
        path,
        {
          target: SERVICE,
          // The service accepts requests of pages of its own origin only.
          changeOrigin: true,
          headers: { origin: SERVICE },
        },
      ]),
    ),
  },
});
