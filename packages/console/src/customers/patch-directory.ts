import type { DirectoryCustomer, User } from "@parley/contract";

/** A page of the directory. */
interface DirectoryPage {
  readonly customers: readonly DirectoryCustomer[];
  readonly next?: string | undefined;
  readonly total?: number | undefined;
}

interface DirectoryPages<P extends DirectoryPage = DirectoryPage> {
  readonly pages: readonly P[];
}

const FIELDS = ["first_name", "last_name", "email", "phone"] as const;

/** -> the customer with what a user object says; undefined if nothing differs */
const changed = (customer: DirectoryCustomer, user: User): DirectoryCustomer | undefined => {
  const { first_name, last_name, email, phone, avatar } = user;
  const next = { ...customer, first_name, last_name, email, phone, avatar_url: avatar?.url };
  const isSame = FIELDS.every((field) => next[field] === customer[field]) && next.avatar_url === customer.avatar_url;
  return isSame ? undefined : next;
};

/** -> the pages with changed users in their places; the same pages if no changed user is listed */
export const withChangedUsers = <D extends DirectoryPages>(data: D, users: ReadonlyMap<string, User>): D => {
  let isChanged = false;
  const pages = data.pages.map((page) => {
    let isPageChanged = false;
    const customers = page.customers.map((customer) => {
      const user = users.get(customer.id);
      const next = user && changed(customer, user);
      if (next) isPageChanged = true;
      return next ?? customer;
    });
    if (isPageChanged) isChanged = true;
    return isPageChanged ? { ...page, customers } : page;
  });
  return isChanged ? { ...data, pages } : data;
};

/** -> the pages without a deleted customer */
export const withoutCustomer = <D extends DirectoryPages>(data: D, id: string): D => {
  const isListed = data.pages.some(({ customers }) => customers.some((customer) => customer.id === id));
  if (!isListed) return data;
  return {
    ...data,
    pages: data.pages.map((page) => ({
      ...page,
      customers: page.customers.filter((customer) => customer.id !== id),
      ...(page.total !== undefined && { total: page.total - 1 }),
    })),
  };
};

/** -> the exact number of customers: the first page says it */
export const totalOf = (data: DirectoryPages | undefined): number | undefined => data?.pages[0]?.total;

/** -> the pages with another total */
export const withTotal = <D extends DirectoryPages>(data: D, total: number): D => ({
  ...data,
  pages: data.pages.map((page, index) => (index === 0 ? { ...page, total } : page)),
});
