import type { KeyValueStore } from "@parley/framework/sdk";

/**
 * Marks a piece of work as begun.
 * @shape key: at most 60 characters
 * @returns false when an earlier try has begun it, whatever became of that one
 */
export async function isFirstTry(db: KeyValueStore, key: string, value: object): Promise<boolean> {
  try {
    await db.set(key, value, { setIf: "not_exist" });
    return true;
  } catch (error) {
    const { message = "" } = (error ?? {}) as { readonly message?: string };
    if (message.includes("setIf conditional request failed")) return false;
    throw error;
  }
}
