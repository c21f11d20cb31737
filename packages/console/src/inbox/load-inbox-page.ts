/** The page of the inbox, apart from what every page needs: pages of the administration are opened without it. */
export const loadInboxPage = () => import("./inbox-page.tsx");
