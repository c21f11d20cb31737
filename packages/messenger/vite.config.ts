import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";
import { contractValues } from "../../scripts/contract-values.mjs";

export default defineConfig({
  root: fileURLToPath(new URL(".", import.meta.url)),
  base: "/messenger/",
  plugins: [contractValues()],
  build: {
    outDir: "dist/app",
    emptyOutDir: true,
    target: "es2022",
    modulePreload: { polyfill: false },
    // Inlined files would be data: URLs, which the content security policy refuses for fonts and scripts.
    assetsInlineLimit: 0,
    reportCompressedSize: false,
  },
});
