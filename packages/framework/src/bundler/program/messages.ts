import type { BuildFailure, Message } from "esbuild";
import type { BundlerMessage } from "../job.ts";

/** Why a path is refused; the `detail` of an esbuild error. */
export class PathRefused {
  readonly path: string;
  readonly reason: string;
  constructor(path: string, reason: string) {
    this.path = path;
    this.reason = reason;
  }
}

export const messageOf = (level: "error" | "warning", { text, location, detail }: Message): BundlerMessage => {
  const place = location ? { file: location.file, line: location.line, column: location.column + 1 } : {};
  return detail instanceof PathRefused
    ? { level: "refused", text: detail.reason, path: detail.path, ...place }
    : { level, text, ...place };
};

/** What esbuild says of a failed build. @errors any other error, as it is */
export const messagesOf = (error: unknown): BundlerMessage[] => {
  const { errors, warnings } = error as Partial<BuildFailure>;
  if (!errors) throw error;
  return [
    ...errors.map((message) => messageOf("error", message)),
    ...(warnings ?? []).map((message) => messageOf("warning", message)),
  ];
};
