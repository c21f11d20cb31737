/** The pages of the section Apps, which load together. */
export { AppsPage } from "../apps/apps-page.tsx";
export { AppDetailsPage } from "../apps/app-page.tsx";
