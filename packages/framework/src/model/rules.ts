import type { FindingDetail, FindingWithPath } from "./finding.ts";
import { PACK_RULES } from "./pack-rules.ts";
import { error, warning, type Rule } from "./rule.ts";

/** All rules by code. Messages are those of other app hosts where these have the rule. */
export const RULES = {
  syntax: error("{text}"),
  "syntax-warning": warning("{text}"),
  "path-refused": error(
    "'{path}' can't be used: {reason}",
    "An app may use only files of its folder and installed packages. Put the file itself into the folder.",
  ),
  "bundling-failed": error("{file} can't be bundled: {reason}", "Make the files that it imports smaller or fewer."),
  "json-count": error(
    "{place} has {count} values: at most {most} are possible",
    "Remove what the app does not need, or divide the app.",
  ),
  "json-twice": warning("The key '{key}' occurs twice; only the last value is used"),

  "manifest-file": error("manifest.json is not found", "Run 'npx parley init' to create a new app."),
  "manifest-version": error("Invalid platform version mentioned in manifest.json"),
  "manifest-shape": error("manifest.json{place} {text}"),
  "manifest-product": error(
    "At least one product must be mentioned in manifest.json",
    'Such as "product": { "freshchat": { … } }.',
  ),
  modules: error("At least one module besides common must be mentioned in manifest.json", "Such as chat_conversation."),
  "module-part": error("Specify {part} in the module common, not in {module}"),
  "module-misspelt": error(
    "The {kind} '{name}' does not exist: its places and events would be ignored",
    "Did you mean '{meant}'? The manifest has it already: move the places and events there.",
  ),
  "module-name": warning(
    "The module '{module}' does not belong to the chat product: its places and events are ignored",
  ),
  "manifest-member": warning("'{member}' in manifest.json is not known, and is ignored"),
  "version-part": warning("'{part}' has no meaning in platform-version {version}"),
  "domain-https": warning(
    "Requests to '{entry}' will be refused: Invalid URL - Must be HTTPS",
    "Entries of whitelisted-domains look like https://api.example.com or https://*.example.com.",
  ),
  "host-private": warning(
    "Requests to '{host}' will be refused: {reason}",
    "Use a name that is known on the internet. To try the app with a service of your own: npx parley run --map api.example.com=http://localhost:4000.",
  ),
  place: error("Invalid location(s) mentioned in {module}: {places}"),
  "place-url": error("Url is either not mentioned or empty in {place}", 'Such as "url": "index.html".'),
  "place-template": error("Template file '{file}' mentioned in {place} is not found in app folder"),
  "place-icon": error("Icon is either not mentioned or empty in {place}", 'Such as "icon": "styles/images/icon.svg".'),
  "place-icon-file": error("Icon '{file}' mentioned in {place} is not found in app folder"),
  event: error("Invalid event: '{event}' for module: {module}"),
  "event-twice": warning("{event} has several handlers: '{handler}' is called, '{other}' is not"),
  handler: error("Event callback '{handler}' is not defined"),
  "function-name": error(
    'Function "{name}" has invalid name',
    "Use 2 to 40 letters, digits and underscores, not beginning with a digit.",
  ),
  "function-timeout": error('Function "{name}" has invalid timeout: it is 20, 25 or 30 seconds'),
  function: warning('Function "{name}" is not defined', "Calls of it fail until server/ exports it."),
  "dependency-install": error(
    "Dependencies could not be installed: {packages} ({reason})",
    "Save manifest.json or restart when the network is available, or install the packages into the app's node_modules.",
  ),
  "npmrc-line": warning(
    "'{name}' in .npmrc is ignored",
    "Only literal registry addresses, for all packages or a scope, and literal tokens for them are used.",
  ),
  dependency: error(
    "Dependency '{name}' must have an exact version, not '{version}'",
    "Use a version such as 1.2.3, without ^ or ~.",
  ),
  "dependency-name": error(
    "Dependency '{name}' has an invalid name",
    "Use the name of a package in npm's registry, such as cutter or @acme/cutter.",
  ),
  "dependency-absent": warning(
    "Dependency '{name}' is not installed: its use in the code was not checked",
    "Run 'npx parley run', or 'npm install' in the app's folder.",
  ),

  "page-script": warning(
    "Script '{script}' mentioned in {page} is not found in app folder",
    "Add the file or remove the script element. The page runs without it.",
  ),
  "page-build": error(
    "{page} has no script of the {framework} app that {file} declares: the page would stay blank",
    'Parley does not run a framework\'s build. Put the sources into app/ and refer to the entry in the page, such as <script defer src="src/index.jsx"></script>: TypeScript and JSX are bundled with packages of node_modules; .vue files are not. Or build the app and put the result into app/.',
  ),
  "config-folder": error(
    "Mandatory folder(s) missing: config",
    "Create config/iparams.json. It contains {} if the app has no parameters.",
  ),
  "config-file": error("Config directory has invalid file(s): {name}", "Move it elsewhere, or delete it."),
  "config-iparams": error("Specify either iparams.html or iparams.json", "Delete one of them."),

  "iparams-shape": error("iparams.json should hold an object of parameters by key."),
  "iparams-reserved-key": error("Do not use reserved keywords, {keys}, as keys."),
  "iparams-empty-key": error("The iparam key should be a non-empty string."),
  "iparams-missing": error("The mandatory key(s), {names}, missing for the '{key}' field."),
  "iparams-type": error("Invalid type, {type}, found in the '{key}' field."),
  "iparams-unknown": error("Invalid key(s), {names}, found in the '{key}' field."),
  "iparams-text": error("Specify a text for the {name} key in the '{key}' field."),
  "iparams-boolean": error("Specify either true or false for the {name} key in the '{key}' field."),
  "iparams-options": error(
    "In the '{key}' field, specify options for the {type} type.",
    "Use a list of texts. The list may be empty if a callback fills it.",
  ),
  "iparams-options-none": error("Options must not be specified for {type} type in the '{key}' field."),
  "iparams-default": error("The default value specified for the '{key}' {type} type is not listed in the options."),
  "iparams-default-refused": warning(
    "The default value of the '{key}' field is refused on the installation page: {text}",
    "Use a valid default value, or remove it.",
  ),
  "iparams-option-twice": warning("In the '{key}' field, the option '{option}' occurs twice.", "It is shown once."),
  "iparams-hidden-required": warning(
    "The '{key}' field is required and hidden, and has no default_value: it can't be filled in.",
    'The field stays empty. Add a default_value, remove "required", or let a callback set the value with utils.set.',
  ),
  "iparams-default-absent": warning(
    "In the '{key}' field, the {type} type has no default_value.",
    "No option is preselected. The marketplace refuses such a field.",
  ),
  "iparams-regex-empty": error(
    "For the '{key}' field, regex should not be empty.",
    'It is an object of pairs: "regex": { "digits": "^[0-9]+$", "digits-error": "Enter digits." }.',
  ),
  "iparams-regex-message": error(
    "In the '{key}' field, error message is missing for '{name}'.",
    'Add "<name>-error" with the message to show.',
  ),
  "iparams-regex-orphan": error("In the '{key}' field, regex is missing for '{name}'."),
  "iparams-regex": error("Invalid regex entered for '{name}' in the '{key}' field."),
  "iparams-type-attributes": error(
    "type_attributes must be specified for type {type} in iparams.json.",
    'Add "type_attributes": { "product": "<product name>" }.',
  ),
  // The specification requires it only if the type is api_key.
  "iparams-domain-product": warning(
    "type_attributes must be specified for type {type} in iparams.json.",
    'Add "type_attributes": { "product": "<product name>" }.',
  ),
  "iparams-product": error("Mandatory key(s) product missing in type_attributes for {key}."),
  "iparams-modules": error("Specify modules as a list of texts in the '{key}' field."),
  "iparams-events": error("For the '{key}' {type} type, add the Events as an array."),
  "iparams-event": error(
    "The {event} event is not supported in the '{key}' field",
    "Only the event change is supported.",
  ),
  "iparams-callback": error(
    "The {callback} function does not exist for the '{key}' field.",
    "Export it from config/assets/iparams.ts, or declare it at the top of config/assets/iparams.js.",
  ),
  "iparams-not-secure": warning(
    "iparam '{key}' appears to be a secure param but it isn't marked as secure.",
    'Add "secure": true to keep its value encrypted and out of the page, the events and the logs.',
  ),

  "entities-shape": error("config/entities.json: {place} {text}"),
  "requests-shape": error("The file must contain an object of templates"),
  "requests-count": error("At most {most} request templates may be defined"),
  "request-shape": error("Request template '{name}': {place} {text}"),
  "request-host-path": error(
    "Request template '{name}': schema/host must not have path",
    "Move the path to schema/path.",
  ),
  "request-host": error(
    "Request template '{name}': schema/host must be FQDN",
    "A name such as api.example.com, without https://.",
  ),
  "request-path": error(
    "Request template '{name}': schema/path must start with '/'",
    "Or with a placeholder whose value starts with '/'.",
  ),
  "request-oauth": error(
    "Request template '{name}': OAuth config must have required property 'integrations'",
    "isOAuth and oauth require config/oauth_config.json. Create the file, or remove the option.",
  ),
  "request-integration": error(
    "Request template '{name}': options.oauth names no integration of config/oauth_config.json: '{integration}'",
    "Available integrations: {known}. If there are several, each template must name an integration.",
  ),
  "request-template": error("Request template '{name}': {text}"),
  "request-iparam": error("Request template '{name}': iparam '{key}' is not defined in config/iparams.json"),
  "request-secure": error("Request template '{name}': the secure iparam '{key}' may be used in headers only"),
  "request-value": error(
    "Request template '{name}': '{path}' can't be filled in",
    "Available values: iparam.*, context.*, access_token, app_settings.*, current_host.endpoint_urls.*.",
  ),
  "request-product": error(
    "Request template '{name}': the manifest does not name the product '{product}', so that its address is unknown",
    "Name one of its modules in manifest.json (up to 2.3: the product), or write the host literally.",
  ),
  "request-setting": warning(
    "Request template '{name}': the app setting '{key}' is not declared in config/app_settings.json",
    'Add "{key}": {} there.',
  ),
  "app-settings-shape": error(
    "app_settings.json should hold an object of settings by key",
    'Such as { "api_key": {} }.',
  ),
  "app-setting": error(
    "app_settings.json: the setting '{key}' {text}",
    'A key is made of letters, digits, _, $ and -. A setting is {} or, where its value may be shown, { "secure": false }.',
  ),
  "request-undefined": error("Request template '{name}' is not defined in config/requests.json"),
  "request-undeclared": warning(
    "Request template '{name}' is not declared in manifest.json",
    "Declare it in manifest.json to use it.",
  ),

  "oauth-integrations": error("OAuth config must have required property 'integrations'"),
  "oauth-shape": error("OAuth config{place} {text}"),
  "oauth-https": warning(
    "OAuth config: '{name}' will be refused: Invalid URL - Must be HTTPS",
    "Write the address with https://.",
  ),
  "oauth-empty": warning("OAuth config: '{name}' is empty", "Authorisation fails until it is filled in."),

  "server-load": error("The code of server/ can't be loaded: {text}"),
  "set-up-silent": warning(
    "The handler of {event} never ends: server/ does not call renderData()",
    "Call renderData() to continue, or renderData({ message }) to refuse.",
  ),
  "request-call": warning(
    "request.{method} is refused in platform-version {version}: {instead}",
    "Or delete the call, if it never runs.",
  ),
  "request-call-host": warning(
    "request.{method} to {host} is refused: This domain has not been whitelisted",
    'Add "https://{host}" to whitelisted-domains in manifest.json.',
  ),
  "request-call-template": warning(
    "request.invokeTemplate('{name}') is refused: no such template is defined in config/requests.json and declared in manifest.json",
    "Define it in config/requests.json, and name it in manifest.json.",
  ),
  "secure-read": warning(
    "The secure iparam '{key}' is not in args.iparams unless an admin consents: it is undefined by default",
    "Use it in a header of a request: <%= iparam.{key} %>. To try the app as it is: npx parley run --allow-secure-iparams.",
  ),
  "file-size": error("File '{name}' of app/ is too large: {size} of at most {most}", "Source maps do not count."),
  "package-size": error("The app is too large: {size} of at most {most}"),
  ...PACK_RULES,

  "lint-undefined": warning("'{name}' is not defined"),
  lint: warning("{text}"),
} as const satisfies Record<string, Rule<string>>;

export type RuleCode = keyof typeof RULES;

type Holes<Message extends string> = Message extends `${string}{${infer Name}}${infer Rest}`
  ? Name | Holes<Rest>
  : never;
type Parts<Code extends RuleCode> = Readonly<Record<Holes<(typeof RULES)[Code]["message"]>, string>>;

const PLACEHOLDER = /\{(\w+)\}/g;

/** Says what `--fix` would write, where a name is misspelt. */
const suggestion = ({ fix = [] }: FindingDetail): string | undefined => {
  const renames = fix.flatMap((edit) => (edit.kind === "rename" ? [edit] : []));
  return renames.length > 0 && renames.length === fix.length
    ? renames.map(({ at, name }) => `Did you mean '${name}' in place of '${at.at(-1) ?? ""}'?`).join(" ")
    : undefined;
};

/** Creates the finding of a rule. `detail` adds the position and may replace the help text. */
export const createFinding = <Code extends RuleCode>(
  code: Code,
  file: string,
  parts: Parts<Code>,
  detail: FindingDetail = {},
): FindingWithPath => {
  const { level, message, help } = RULES[code];
  const filled = (text: string) =>
    text.replace(PLACEHOLDER, (hole, name: string) => (parts as Readonly<Record<string, string>>)[name] ?? hole);
  const hint = suggestion(detail) ?? filled(help);
  return { code, level, file, message: filled(message), ...(hint && { help: hint }), ...detail };
};
