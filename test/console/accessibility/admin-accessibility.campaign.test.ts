import { describeAdminAccessibility } from "./admin-accessibility.ts";
import { ADMIN_DIALOGS } from "./admin-dialogs.ts";
import { ADMIN_PAGES } from "./admin-states.ts";

/** Pages, dialogs and menus in a wide window, and dialogs and menus in the form in which the quick test examines the pages. */
describeAdminAccessibility({
  "1440 x 900, light": [...ADMIN_PAGES, ...ADMIN_DIALOGS],
  "360 x 740, dark": ADMIN_DIALOGS,
});
