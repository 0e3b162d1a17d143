// Texts by code, from the message file of the page's language.
export const lang = document.documentElement.lang;
const file = async (name) => (await fetch(`/static/messages/${name}.json`)).json();
/** Sentences of the core: in English they come as they are said, with their values; in another language by code. */
export const ENGLISH = lang === "en";
const messages = await file(lang), core = {};
/** Adds sentences of the core that some views say: `core`, `office` or `bench`. */
export const learn = async (name) => { if (!ENGLISH) Object.assign(core, await file(`${name}.${lang}`)); };

/** Returns the text of a code with {names} filled in; the code itself, readable, where no text is known. */
export function say(code, values = {}) {
  const text = messages[code] ?? code.slice(code.indexOf(".") + 1).replaceAll("_", " ");
  return filled(text, values);
}
const filled = (text, values) => text.replace(/\{(\w+)\}/g, (_, name) => values[name] ?? "");
/** Returns a sentence of the core in the language of the page; `english` as it was said, where the page is English or no code is known. */
export const core_says = (code, english, values = {}) => (core[code] ? filled(core[code], values) : english);
/** Returns a sentence of a rulebook, looked up by the fingerprint of its English words: a changed sentence is translated again. */
export const law_says = (text) => core[`law.${fingerprint(text)}`] ?? text;
function fingerprint(text) { // FNV-1a
  let hash = 0x811c9dc5;
  for (const char of text) hash = Math.imul(hash ^ char.codePointAt(0), 0x01000193) >>> 0;
  return hash.toString(16).padStart(8, "0");
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
