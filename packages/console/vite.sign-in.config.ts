import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";
import { contractValues } from "../../scripts/contract-values.mjs";

/** The pages of the sign-in and the profile. They have a build of their own, since modules that they shared with the console would load all of it. */
export default defineConfig({
  root: fileURLToPath(new URL(".", import.meta.url)),
  base: "/sign-in/",
  publicDir: false,
  plugins: [contractValues()],
  build: {
    rolldownOptions: { input: fileURLToPath(new URL("sign-in.html", import.meta.url)) },
    outDir: "dist/sign-in",
    emptyOutDir: true,
    target: "es2022",
    modulePreload: { polyfill: false },
    // Inlined files would be data: URLs, which the content security policy refuses for scripts.
    assetsInlineLimit: 0,
    reportCompressedSize: false,
  },
});
