import { PRODUCTS, type Iparam } from "@parley/contract";

/** As an app names the product that it is installed on, whichever that is. */
const CURRENT = "current";

/** Products whose accounts do not live under their own name. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  freshsales: ".freshsales.io",
  freshworks_crm: ".myfreshworks.com",
};

type Declared = Pick<Iparam, "type_attributes">;

/** Another product that the parameter belongs to; undefined for ours. */
export const otherProduct = ({ type_attributes: attributes }: Declared): string | undefined => {
  const product = attributes?.product;
  const isOurs = product === undefined || product === CURRENT || PRODUCTS.some((name) => name === product);
  return isOurs ? undefined : product;
};

/**
 * What follows the account's name in the domain of another product.
 * @assumed An account of another product lives under that product's name: `<account>.<product>.com`.
 * @spec Resources and their fields > App installation parameters (iparams)
 */
export const accountSuffixOf = (product: string): string =>
  (Object.hasOwn(ELSEWHERE, product) ? ELSEWHERE[product] : undefined) ??
  `.${product.toLowerCase().replace(/[^a-z0-9-]/g, "")}.com`;

/** Host of the account of the same name at another product. */
export const accountHost = (product: string, domain: string): string =>
  `${domain.split(".")[0] ?? ""}${accountSuffixOf(product)}`;

/** @assumed The key of another product is kept as it is typed: nobody here could say whether it is right. */
export const uncheckedKey = (product: string): string =>
  `This key is kept as it is typed: an account of ${product} can’t be asked here whether it is right.`;
