import { describeAdminAccessibility } from "./admin-accessibility.ts";
import { ADMIN_DIALOGS } from "./admin-dialogs.ts";
import { ADMIN_PAGES } from "./admin-states.ts";

const EVERYTHING = [...ADMIN_PAGES, ...ADMIN_DIALOGS];

/** Pages, dialogs and menus in a browser that people have adapted: enlarged, and with colours of their own. */
describeAdminAccessibility({ "zoomed to 200 %": EVERYTHING, "forced colours": EVERYTHING });
