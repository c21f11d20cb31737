/** The file is not a package, or the package is unsafe or damaged. The message states what to do. */
export class PackageRefused extends Error {
  override readonly name = "PackageRefused";
  /** Whether the package exceeds a limit. */
  readonly isTooLarge: boolean;
  constructor(message: string, { isTooLarge = false }: { readonly isTooLarge?: boolean } = {}) {
    super(message);
    this.isTooLarge = isTooLarge;
  }
}

/** @errors PackageRefused */
export const refuseDamaged = (): never => {
  throw new PackageRefused("The file is not a zip file, or is damaged. Create it with 'npx parley pack'.");
};

/** @units characters */
const SHOWN_NAME_MAX = 100;

const shownName = (name: string): string =>
  JSON.stringify(name.length > SHOWN_NAME_MAX ? `${name.slice(0, SHOWN_NAME_MAX)}…` : name);

/** @shape name: of the entry, as in the archive; reason: completes the sentence "Its file … " @errors PackageRefused */
export const refuseEntry = (name: string, reason: string): never => {
  throw new PackageRefused(`Its file ${shownName(name)} ${reason}.`);
};
