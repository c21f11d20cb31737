import { describeAdminAccessibility } from "./console-admin-accessibility.ts";
import { ADMIN_DIALOGS } from "./console-admin-dialogs.ts";
import { ADMIN_PAGES } from "./console-admin-states.ts";

/** Dialogs and menus in the forms in which the quick test examines the pages, and everything in the dark. */
describeAdminAccessibility({
  "1440 x 900, light": ADMIN_DIALOGS,
  "360 x 740, dark": ADMIN_DIALOGS,
  "1440 x 900, dark": [...ADMIN_PAGES, ...ADMIN_DIALOGS],
});
