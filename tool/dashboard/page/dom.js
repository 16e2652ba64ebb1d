// Makes elements. Every text goes through text nodes: nothing here, or anywhere in the page, parses markup.

export const byId = (id) => document.getElementById(id);

export function element(tag, className, ...children) {
  const made = document.createElement(tag);
  if (className) made.className = className;
  made.append(...children); // strings become text nodes
  return made;
}

export function shape(tag, attributes, text) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  if (text !== undefined) made.textContent = text;
  return made;
}

// Writes only what differs: the browser would lay out the page again.
export function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}
