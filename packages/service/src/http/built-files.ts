import fastifyStatic from "@fastify/static";
import type { FastifyPluginAsync, onRequestAsyncHookHandler } from "fastify";
import { join } from "node:path";

interface BuiltFilesOptions {
  /** Folder of built pages, with the files in `assets/`. */
  readonly folder: string;
  /** Path of the pages. */
  readonly path: string;
  readonly onRequest: onRequestAsyncHookHandler;
}

const ONE_YEAR_S = 31_536_000;

/** Serves the files of built pages below `assets/`, compressed as the build has compressed them. */
export const builtFiles =
  ({ folder, path, onRequest }: BuiltFilesOptions): FastifyPluginAsync =>
  async (files) => {
    files.addHook("onRequest", onRequest);
    await files.register(fastifyStatic, {
      root: join(folder, "assets"),
      prefix: `${path}/assets/`,
      preCompressed: true,
      index: false,
      // The names of the files contain a hash of their content.
      immutable: true,
      maxAge: ONE_YEAR_S * 1_000,
      decorateReply: false,
      setHeaders: (reply) => void reply.setHeader("x-content-type-options", "nosniff"),
    });
  };
