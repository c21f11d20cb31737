import { describeAdminAccessibility } from "./admin-accessibility.ts";
import { ADMIN_DIALOGS } from "./admin-dialogs.ts";
import { ADMIN_PAGES } from "./admin-states.ts";

const EVERYTHING = [...ADMIN_PAGES, ...ADMIN_DIALOGS];

/** Pages, dialogs and menus with the other colours of the wide and the narrow window. */
describeAdminAccessibility({ "1440 x 900, dark": EVERYTHING, "360 x 740, light": EVERYTHING });
