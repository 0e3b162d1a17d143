// Texts by code, from the message file of the page's language.
export const lang = document.documentElement.lang;
const messages = await (await fetch(`/static/messages/${lang}.json`)).json();

/** Returns the text of a code with {names} filled in; the code itself, readable, where no text is known. */
export function say(code, values = {}) {
  const text = messages[code] ?? code.slice(code.indexOf(".") + 1).replaceAll("_", " ");
  return text.replace(/\{(\w+)\}/g, (_, name) => values[name] ?? "");
}
export const knows = (code) => code in messages;

/** Returns whole cents as money. */
export function money(cents, currency = "USD") {
  if (!cents) return say("uncounted");
  const whole = Math.trunc(cents / 100).toLocaleString("en-US");
  const rest = cents % 100 ? "." + String(cents % 100).padStart(2, "0") : "";
  return currency === "USD" ? `$${whole}${rest}` : `${whole}${rest} ${currency}`;
}

/** Makes an element; text is set as text, so that nothing of a device becomes markup. */
export function make(tag, { text, cls, on, ...rest } = {}, ...children) {
  const made = document.createElement(tag);
  if (text !== undefined) made.textContent = text;
  if (cls) made.className = cls;
  if (on) made.addEventListener("click", on);
  for (const [name, value] of Object.entries(rest)) made.setAttribute(name, value);
  made.append(...children.filter(Boolean));
  return made;
}
export const at = (id) => document.getElementById(id);

/** For JSON.parse: what a device or a person wrote keeps no character that turns, hides or breaks the text around it. */
export const plain = (_, value) => (typeof value === "string" ? value.replace(/(?!\n)[\p{Cc}\p{Cf}\u2028\u2029]/gu, "\ufffd") : value);
