import { styleText } from "node:util";
import type { Package } from "@parley/framework/authoring";
import { printable } from "../printable.ts";

const number = (value: number): string => value.toLocaleString("en-US");

/** What went in, what stayed at home, and where the package is. @shape file: as the reader would type it */
export const asText = ({ files, zip, sha256, leftOut }: Package, file: string): string => {
  const width = Math.max(...files.map(({ bytes }) => number(bytes.length).length));
  return [
    ...files.map(({ path, bytes }) => `  ${number(bytes.length).padStart(width)}  ${printable(path)}`),
    "",
    ...(leftOut.length > 0 ? [styleText("dim", `Left out: ${printable(leftOut.join(", "))}`), ""] : []),
    `Packed ${styleText("bold", printable(file))}: ${number(files.length)} files, ${number(zip.length)} bytes.`,
    styleText("dim", `sha256 ${sha256}`),
  ].join("\n");
};
