/** Where the script was loaded from, and what its element says. */
export interface ScriptSource {
  /** Address of the service, without a slash at its end. */
  readonly base?: string;
  readonly account?: string;
  /** `N/M` of the second snippet form. */
  readonly alias?: string;
  readonly nonce?: string;
  /** The messenger starts without a call of `init`: chat="true", or the second snippet form, unless its element says otherwise. */
  readonly startsItself: boolean;
}

const ADDRESS = /^(.*)\/(?:js\/widget|(\d+\/\d+))\.js$/;

/** -> source of an element whose address has the form of this script */
const sourceOf = (script: HTMLScriptElement): ScriptSource | undefined => {
  const [address = "", query] = script.src.split("#")[0]!.split("?");
  const [, base, alias] = ADDRESS.exec(address) ?? [];
  if (base === undefined) return undefined;
  const account = new URLSearchParams(query).get("account");
  return {
    base,
    ...(account && { account }),
    ...(alias && { alias }),
    // The attribute is hidden from scripts; the property is not.
    ...(script.nonce && { nonce: script.nonce }),
    startsItself: (script.getAttribute("chat") ?? (alias && "true")) === "true",
  };
};

/** Reads the element that runs now. A module or a loader of scripts hides it: the last element with such an address is taken then. */
export const readScriptSource = (): ScriptSource => {
  const { currentScript } = document;
  const elements = currentScript instanceof HTMLScriptElement ? [currentScript] : [];
  const found = [...elements, ...[...document.scripts].reverse()].map(sourceOf).find(Boolean);
  return found ?? { startsItself: false };
};
