import { PRODUCTS, type Iparam } from "@parley/contract";

/** In apps, the name of whichever product the app is installed on. */
const CURRENT_PRODUCT = "current";

/** Products whose account domains do not use the product's name. */
const DOMAIN_SUFFIXES: Readonly<Record<string, string>> = {
  freshsales: ".freshsales.io",
  freshworks_crm: ".myfreshworks.com",
};

type Declared = Pick<Iparam, "type_attributes">;

/** The other product that a parameter belongs to; undefined for a product of Parley. */
export const otherProduct = ({ type_attributes: attributes }: Declared): string | undefined => {
  const product = attributes?.product;
  const isOurs = product === undefined || product === CURRENT_PRODUCT || PRODUCTS.some((name) => name === product);
  return isOurs ? undefined : product;
};

/**
 * The part after the account's name in the domain of another product.
 * @assumed The domain of an account of another product is `<account>.<product>.com`.
 * @spec Resources and their fields > App installation parameters (iparams)
 */
export const accountSuffixOf = (product: string): string =>
  (Object.hasOwn(DOMAIN_SUFFIXES, product) ? DOMAIN_SUFFIXES[product] : undefined) ??
  `.${product.toLowerCase().replace(/[^a-z0-9-]/g, "")}.com`;

/** Host of the account with the same name at another product. */
export const accountHost = (product: string, domain: string): string =>
  `${domain.split(".")[0] ?? ""}${accountSuffixOf(product)}`;

/**
 * Hosts of a Parley account's own API; an empty list for a host elsewhere.
 * @assumed A Parley account has its service for outbound messages at the sibling host `outbound`.
 * @shape domainSuffix: the part of an account's host after its name
 */
export const ownApiHosts = (domain: string | undefined, domainSuffix: string): readonly string[] =>
  domain?.endsWith(domainSuffix) ? [domain, `outbound${domainSuffix}`] : [];

/** @assumed A key of another product is stored unchecked, because no account of that product can verify it. */
export const uncheckedKey = (product: string): string =>
  `This key is stored unchecked: it can’t be verified with ${product} here.`;
