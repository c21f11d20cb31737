import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Temporary folders that only their owner may enter, and a function that removes them all. */
export function temporaryFolders(): { create(below?: string): string; removeAll(): void } {
  const created: string[] = [];
  return {
    create: (below = "") => {
      const folder = mkdtempSync(join(tmpdir(), "parley-db-"));
      created.push(folder);
      if (below) mkdirSync(join(folder, below), { recursive: true });
      return join(folder, below);
    },
    removeAll: () => {
      for (const folder of created) rmSync(folder, { recursive: true, force: true });
    },
  };
}
