import type { Plugin as EsbuildPlugin } from "esbuild";
import type { Plugin as VitePlugin } from "vite";

export declare const CONTRACT_VALUES: EsbuildPlugin;
export declare const contractValues: () => VitePlugin;
