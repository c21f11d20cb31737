import { SecretsKeyUnusable } from "./keyring.ts";
import type { Vault } from "./vault.ts";

/** A sealed text and the owner that it is sealed for. */
interface SealedText {
  readonly owner: string;
  readonly sealed: string;
}

/** A row with sealed texts. */
export interface SealedRow {
  readonly texts: readonly SealedText[];
  /** Stores other sealed texts, in the order of `texts`, unless the row was changed since it was read. -> whether they are stored */
  readonly replace: (sealed: readonly string[]) => Promise<boolean>;
}

/** The rows of one kind of secret. */
export interface SealedRows {
  /** Kind of the secrets, as messages name it: `secrets of webhooks`. */
  readonly name: string;
  read(): Promise<readonly SealedRow[]>;
}

/** Number of sealed texts of a kind, by the key that opens them. */
export interface SealedCounts {
  readonly name: string;
  readonly present: number;
  readonly earlier: number;
  /** Sealed with an unknown key. */
  readonly unreadable: number;
}

type SealState = "present" | "earlier" | "unreadable";

const stateOf = (vault: Vault, { owner, sealed }: SealedText): SealState => {
  let isFirst: boolean;
  try {
    isFirst = vault.isSealedWithFirst(owner, sealed);
  } catch (error) {
    // An unreadable file of the keys says nothing about the text.
    if (error instanceof SecretsKeyUnusable) throw error;
    return "unreadable";
  }
  return isFirst ? "present" : "earlier";
};

/** Counts sealed texts by kind and key. @errors SecretsKeyUnusable */
export async function countSealed(vault: Vault, kinds: readonly SealedRows[]): Promise<SealedCounts[]> {
  const counts: SealedCounts[] = [];
  for (const kind of kinds) {
    const count = { present: 0, earlier: 0, unreadable: 0 };
    for (const { texts } of await kind.read()) for (const text of texts) count[stateOf(vault, text)] += 1;
    counts.push({ name: kind.name, ...count });
  }
  return counts;
}

/**
 * Seals with the first key the secrets that are sealed with another key, row by row, until a pass finds nothing. Unreadable texts stay as they are.
 * -> number of texts that were sealed anew
 * @errors SecretsKeyUnusable
 */
export async function sealAnew(vault: Vault, kinds: readonly SealedRows[]): Promise<number> {
  let total = 0;
  for (let isClean = false; !isClean;) {
    isClean = true;
    for (const kind of kinds)
      for (const { texts, replace } of await kind.read()) {
        const states = texts.map((text) => stateOf(vault, text));
        const count = states.filter((state) => state === "earlier").length;
        if (count === 0) continue;
        const sealed = texts.map((text, index) =>
          states[index] === "earlier" ? vault.seal(text.owner, vault.open(text.owner, text.sealed)) : text.sealed,
        );
        isClean = false;
        if (await replace(sealed)) total += count;
      }
  }
  return total;
}
