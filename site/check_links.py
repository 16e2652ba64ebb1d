"""check_links.py FOLDER: each link of each page in the folder leads to a file of the folder, and to an element of it if
it names one; and no page loads a script, a style, a font or a picture from elsewhere. Prints what violates this, and
fails if anything does."""

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

LOADED = {("script", "src"), ("img", "src"), ("iframe", "src"), ("object", "data"), ("source", "src"), ("embed", "src")}


class Page(HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.names, self.links, self.loads = {"", "top"}, set(), set()
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        self.names.update(filter(None, (values.get("id"), values.get("name") if tag == "a" else None)))
        loaded = [values.get(name) for loader, name in LOADED if loader == tag]
        if tag == "link" and values.get("rel") not in ("canonical", "next", "prev", "edit"):
            loaded.append(values.get("href"))
        self.loads.update(filter(None, loaded))
        self.links.update(filter(None, [values.get("href"), *loaded]))


def violations(folder):
    pages = {path: Page(path.read_text()) for path in sorted(folder.rglob("*.html"))}
    for path, page in pages.items():
        for url in sorted(page.links):
            parts = urlsplit(url)
            if parts.scheme or parts.netloc:
                if url in page.loads and parts.scheme not in ("data", "javascript"):
                    yield path, f"loads {url}"
                continue
            base = folder if parts.path.startswith("/") else path.parent  # 404.html, which any address may show
            target = (base / unquote(parts.path).lstrip("/")).resolve() if parts.path else path.resolve()
            target = target / "index.html" if target.is_dir() else target
            if not target.is_file():
                yield path, f"{url}: there is no such file"
            elif target in pages and unquote(parts.fragment) not in pages[target].names:
                yield path, f"{url}: there is no such place in the page"
    for path in sorted(folder.rglob("*.css")):
        text = path.read_text().replace('"', "").replace("'", "")
        if "url(http" in text or "url(//" in text or "@import http" in text:
            yield path, "loads from elsewhere"


def main(folder):
    found = 0
    for path, why in violations(folder.resolve()):
        print(f"{path.relative_to(folder.resolve())}: {why}")
        found += 1
    print(f"check_links: {sum(1 for _ in folder.rglob('*.html'))} pages, {found} bad links")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
