/** The pages of the section Reports, which load together. */
export { ReportsPage } from "../reports/reports-page.tsx";
export { RawReportsPage } from "../raw-reports/raw-reports-page.tsx";
