/** Configuration files of the cluster. The documentation for operators shows the same files. */
import { readFile } from "node:fs/promises";

const FOLDER = new URL("config/", import.meta.url);

/** -> a file of `config/` with its placeholders replaced. @errors Error for a placeholder without a value */
export const renderConfiguration = async (file, values) =>
  (await readFile(new URL(file, FOLDER), "utf8")).replace(/\$\{(\w+)\}/g, (_, name) => {
    if (values[name] === undefined) throw new Error(`${file} needs a value for ${name}`);
    return String(values[name]);
  });
