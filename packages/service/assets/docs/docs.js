/* global SwaggerUIBundle, document, matchMedia */
const dark = matchMedia("(prefers-color-scheme: dark)");
const follow = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
dark.addEventListener("change", follow);
follow();

SwaggerUIBundle({
  url: "/v2/openapi.json",
  domNode: document.getElementById("reference"),
  deepLinking: true,
  docExpansion: "list",
  tryItOutEnabled: true,
  // Its badge would send the document's address to a server elsewhere.
  validatorUrl: null,
});
