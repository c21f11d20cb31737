import { readScriptSource } from "./script-source.ts";
import { objectOf } from "./site-options.ts";
import { createWidgetApi, type WidgetApi } from "./widget-api.ts";

/** The script that sites embed, in both snippet forms. It defines `window.fcWidget` and `window.fwcrm`, and starts the messenger where the page says so. */

/** What an earlier run of this script has left, also if the page has deleted `window.fcWidget`. */
const REGISTRY = Symbol.for("parley.messenger");
const registry = globalThis as { [REGISTRY]?: WidgetApi };

/** Puts methods into an object of the page, whose other properties remain. -> the object */
const extend = <T extends object>(existing: unknown, methods: T): T =>
  typeof existing === "object" && existing !== null && Object.isExtensible(existing)
    ? Object.assign(existing as T, methods)
    : methods;

const source = readScriptSource();
const former = registry[REGISTRY];

if (former && window.fcWidget?.init === former.widget.init) former.restart(source);
else {
  // A page that has deleted the object begins anew.
  former?.widget.destroy();
  const api = createWidgetApi(source);
  registry[REGISTRY] = api;
  window.fcWidget = extend(window.fcWidget, api.widget);
  window.fwcrm = extend(window.fwcrm, api.contacts);
}

const widget = window.fcWidget;
const settings = objectOf(window.fcSettings);
if (!widget?.isInitialized() && (window.fcSettings || source.startsItself)) {
  const { onInit } = settings;
  if (typeof onInit === "function") (onInit as () => unknown)();
  widget?.init({ ...objectOf(window.fcWidgetMessengerConfig), ...settings });
}
