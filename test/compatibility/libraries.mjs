/** Libraries that apps' pages load from CDNs, installed once from npm when a page needs the first library: a run needs no other host. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, statSync } from "node:fs";
import { extname, join, normalize } from "node:path";

const PACKAGES = {
  "@freshworks/crayons": "4",
  async: "2.6.4",
  axios: "1",
  "babel-standalone": "6.26.0",
  bootstrap: "4.6.2",
  "crypto-js": "4.2.0",
  fullcalendar: "5.4.0",
  handlebars: "4.7.8",
  jquery: "3.7.1",
  "js-base64": "3.7.7",
  lodash: "4.17.21",
  moment: "2.30.1",
  "petite-vue": "0.4.1",
  "popper.js": "1.16.1",
  react: "16",
  "react-dom": "16",
  select2: "4.0.13",
  vue: "2",
};

/** Returns the package and the file in it for a library's URL. */
const fileOf = ({ host, pathname }) => {
  const path = decodeURIComponent(pathname);
  const named = /^\/(?:npm\/)?((?:@[\w.-]+\/)?[\w.-]+)(?:@[^/]*)?\/(.+)$/.exec(path);
  if ((host === "unpkg.com" || host === "cdn.jsdelivr.net") && named) return { name: named[1], file: named[2] };
  const file = path.split("/").at(-1);
  const ends = [
    [/^jquery[\d.-]*(\.slim)?(\.min)?\.js$/, "jquery", "dist/jquery.min.js"],
    [/^bootstrap\.(bundle\.)?min\.js$/, "bootstrap", `dist/js/${file}`],
    [/^bootstrap\.min\.css$/, "bootstrap", `dist/css/${file}`],
    [/^handlebars(\.runtime)?\.min\.js$/, "handlebars", `dist/${file}`],
    [/^async\.min\.js$/, "async", "dist/async.min.js"],
    [/^lodash\.min\.js$/, "lodash", "lodash.min.js"],
    [/^moment\.min\.js$/, "moment", "min/moment.min.js"],
    [/^select2(\.min)?\.js$/, "select2", "dist/js/select2.min.js"],
    [/^axios(\.min)?\.js$/, "axios", "dist/axios.min.js"],
    [/^crypto-js\.min\.js$/, "crypto-js", "crypto-js.js"],
    [/^petite-vue$/, "petite-vue", "dist/petite-vue.es.js"],
    [/^popper\.min\.js$/, "popper.js", "dist/umd/popper.min.js"],
    [/^vue(\.min)?\.js$/, "vue", "dist/vue.min.js"],
  ];
  const found = ends.find(([pattern]) => pattern.test(file));
  return found && { name: found[1], file: found[2] };
};

const TYPES = { ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml", ".json": "application/json" };

/** Installs the libraries into a folder unless they exist. @errors Error if npm can't bring them */
const ensureLibraries = (folder) => {
  if (Object.keys(PACKAGES).every((name) => existsSync(join(folder, "node_modules", name)))) return;
  mkdirSync(folder, { recursive: true });
  const wanted = Object.entries(PACKAGES).map(([name, version]) => `${name}@${version}`);
  const how = ["install", "--no-save", "--ignore-scripts", "--no-audit", "--no-fund", "--force", "--silent"];
  // Standard output belongs to the records of `--json`.
  const { status } = spawnSync("npm", [...how, "--prefix", folder, ...wanted], { stdio: ["ignore", 2, 2] });
  if (status !== 0) throw new Error("npm can't bring the libraries that apps' pages load: see its lines above");
};

/** Returns a function that routes a browser context's outside requests to the libraries in a folder; other requests fail. */
export const libraries = (folder) => {
  const inside = join(folder, "node_modules");
  return async (context) => {
    await context.route(/^https?:\/\/(?!(?:[\w.-]+\.)?localhost|127\.)/, (route) => {
      const found = fileOf(new URL(route.request().url()));
      if (found) ensureLibraries(folder);
      const path = found && normalize(join(inside, found.name, found.file));
      if (!path?.startsWith(inside) || !existsSync(path) || !statSync(path).isFile()) return route.abort();
      const headers = { "access-control-allow-origin": "*" };
      return route.fulfill({ body: readFileSync(path), contentType: TYPES[extname(path)] ?? "text/plain", headers });
    });
  };
};
