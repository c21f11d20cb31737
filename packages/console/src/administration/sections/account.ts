/** The pages of the section Account, which load together: the first page of the console lists the files of each import. */
export { AccountPage } from "../account/account-page.tsx";
export { HoursPage } from "../business-hours/hours-page.tsx";
export { MessengerPage } from "../messenger/messenger-page.tsx";
export { FieldsPage } from "../fields/fields-page.tsx";
export { OutboundMessagesPage } from "../outbound-messages/outbound-messages-page.tsx";
export { OutboundTemplatesPage } from "../outbound-templates/outbound-templates-page.tsx";
export { TopicsPage } from "../topics/topics-page.tsx";
export { AuditLogPage } from "../audit-log/audit-log-page.tsx";
