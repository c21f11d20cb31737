import type { FrontPlace, PlaceKind } from "@parley/contract";
import { element } from "../../pages/browser/element.ts";
import { FrameRefusal, type AppInstanceFrame, type AppFrames } from "./instances.ts";
import type { Notify } from "./notices.ts";

/** A placeholder with its content. */
interface PlaceView {
  readonly place: FrontPlace;
  readonly section: HTMLElement;
  /** Buttons that open the placeholder. */
  readonly buttons: readonly HTMLButtonElement[];
  instance?: AppInstanceFrame | undefined;
  isOpen: boolean;
}

interface AppPlaces {
  /** Opens a placeholder by `module.place` or by its name alone. */
  open(id: string): void;
  /** Called when another conversation is opened, or the conversation is closed: reloads the frames beside the conversation. */
  reloadConversationPlaces(): void;
  /** Reloads all frames after a change of the app. */
  reload(): void;
  /** Shows the app only while it is installed. */
  setInstalled(isInstalled: boolean): void;
}

interface PlacesDeps {
  readonly places: readonly FrontPlace[];
  readonly app: string;
  readonly instances: AppFrames;
  readonly notify: Notify;
  /** Called with the placeholder that was opened last, for the address and the switcher. */
  readonly opened: (place: FrontPlace | undefined) => void;
}

/** Kinds of which at most one placeholder is open at a time. */
const EXCLUSIVE_KINDS: ReadonlySet<PlaceKind> = new Set(["sidebar", "editor", "page", "panel"]);
const CONVERSATION_KINDS: ReadonlySet<PlaceKind> = new Set(["sidebar", "editor", "background"]);
const CLOSABLE: ReadonlySet<PlaceKind> = new Set(["editor", "page", "panel"]);

const slotOf = (kind: PlaceKind) => element<HTMLElement>(document, `[data-slot=${kind}]`);

/** The buttons that open a placeholder; an empty list for kinds that open by themselves. */
const buttonsOf = (place: FrontPlace, toggle: () => void): HTMLButtonElement[] => {
  const bar = document.querySelector(`[data-buttons~=${place.kind}]`);
  if (!bar) return [];
  const button = document.createElement("button");
  button.type = "button";
  button.className = "place";
  button.setAttribute("aria-expanded", "false");
  if (place.icon !== "") {
    const icon = document.createElement("img");
    icon.src = `/app/${place.icon}`;
    icon.alt = "";
    icon.width = icon.height = 20;
    button.append(icon);
  }
  const label = document.createElement("span");
  label.textContent = place.label;
  button.append(label);
  button.title = place.label;
  button.addEventListener("click", toggle);
  bar.append(button);
  return [button];
};

const sectionOf = ({ kind, label }: FrontPlace, close: () => void): HTMLElement => {
  const section = document.createElement("section");
  section.className = `place-view ${kind}`;
  section.hidden = true;
  section.setAttribute("aria-label", label);
  if (CLOSABLE.has(kind)) {
    const bar = document.createElement("div");
    bar.className = "bar";
    const title = document.createElement("strong");
    title.textContent = label;
    const closeButton = document.createElement("button");
    closeButton.type = "button";
    closeButton.className = "plain";
    closeButton.textContent = "✕";
    closeButton.setAttribute("aria-label", `Close ${label}`);
    closeButton.addEventListener("click", close);
    bar.append(title, closeButton);
    section.append(bar);
  }
  slotOf(kind).append(section);
  return section;
};

export const mountAppPlaces = ({ places, app, instances, notify, opened }: PlacesDeps): AppPlaces => {
  let isInstalled = false;

  const mount = (view: PlaceView) => {
    const { id, kind, url, module, name } = view.place;
    const closeFrame = CLOSABLE.has(kind) ? () => close(view, true) : undefined;
    try {
      const spec = {
        url,
        title: `${app}: ${view.place.label}`,
        location: name,
        module,
        ...(closeFrame ? { close: closeFrame } : {}),
      };
      view.instance = instances.mount(spec, view.section);
    } catch (error) {
      if (!(error instanceof FrameRefusal)) throw error;
      notify("danger", id, error.message);
    }
  };
  const render = (view: PlaceView) => {
    const visible = view.isOpen && isInstalled;
    view.section.hidden = !visible;
    for (const button of view.buttons) {
      button.disabled = !isInstalled;
      button.setAttribute("aria-expanded", String(visible));
    }
    if (visible && !view.instance) mount(view);
    view.instance?.activate(visible);
    document.body.classList.toggle(
      `has-${view.place.kind}`,
      views.some((one) => one.isOpen && one.place.kind === view.place.kind) && isInstalled,
    );
  };
  const unload = (view: PlaceView) => {
    view.instance?.activate(false);
    view.instance?.end();
    view.instance = undefined;
  };
  const close = (view: PlaceView, focus = false) => {
    view.isOpen = false;
    render(view);
    opened(views.find(({ isOpen, place }) => isOpen && place.kind !== "background")?.place);
    if (focus) view.buttons[0]?.focus();
  };
  const open = (view: PlaceView) => {
    const { kind } = view.place;
    for (const other of views)
      if (other !== view && other.isOpen && other.place.kind === kind && EXCLUSIVE_KINDS.has(kind)) close(other);
    view.isOpen = true;
    render(view);
    opened(view.place);
  };
  const toggle = (view: PlaceView) => (view.isOpen && CLOSABLE.has(view.place.kind) ? close(view) : open(view));

  const views: PlaceView[] = [];
  for (const place of places) {
    const view: PlaceView = {
      place,
      section: sectionOf(place, () => close(view, true)),
      buttons: buttonsOf(place, () => toggle(view)),
      isOpen: place.kind === "background",
    };
    views.push(view);
  }
  for (const view of views) render(view);
  const first = views.find(({ place }) => place.kind === "sidebar");
  if (first) first.isOpen = true;
  const tabs = document.querySelector<HTMLElement>("[data-buttons=sidebar]");
  if (tabs) tabs.hidden = views.filter(({ place }) => place.kind === "sidebar").length < 2;
  for (const kind of ["sidebar", "editor"])
    document.body.classList.toggle(`no-${kind}`, !places.some((place) => place.kind === kind));
  document.addEventListener("keydown", ({ key }) => {
    if (key !== "Escape" || document.querySelector("dialog[open]")) return;
    const focused = views.find(({ section, isOpen }) => isOpen && section.contains(document.activeElement));
    if (focused && CLOSABLE.has(focused.place.kind)) close(focused, true);
  });

  return {
    open(id) {
      const view = views.find(({ place }) => place.id === id) ?? views.find(({ place }) => place.name === id);
      if (!view)
        return notify(
          "warning",
          "",
          `The app has no place '${id}'; it has ${places.map(({ name }) => name).join(", ")}.`,
        );
      if (view.place.kind === "background") return opened(view.place);
      open(view);
      // On a narrow page the section may be outside the view.
      view.section.scrollIntoView({ block: "nearest" });
    },
    reloadConversationPlaces() {
      for (const view of views) {
        if (!CONVERSATION_KINDS.has(view.place.kind)) continue;
        unload(view);
        render(view);
      }
    },
    reload() {
      for (const view of views) unload(view);
      for (const view of views) render(view);
    },
    setInstalled(installed) {
      if (isInstalled === installed) return;
      isInstalled = installed;
      if (!installed) for (const view of views) unload(view);
      for (const view of views) render(view);
    },
  };
};
