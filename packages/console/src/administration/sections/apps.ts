/** The pages of the section Apps, which load together. */
export { AppsPage } from "../apps/apps-page.tsx";
export { AppPage } from "../apps/app-page.tsx";
