"""Makes the pages of the repository the pages of a site; called by MkDocs.

The pages are written for GitHub, too: links go to files of the repository, and Markdown is that of GitHub. Here
- bench/*.md, with their plots, and the reference that Doxygen has written become files of the site,
- links from a page to those, and to public headers, lead to them,
- a link to another file of the repository, which is not part of the site, becomes its text,
- a list may follow a paragraph without an empty line,
- the comment that names the file of a code block becomes the block's title.
"""

import re
from pathlib import Path

from mkdocs.structure.files import File

ROOT = Path(__file__).resolve().parent.parent
REFERENCE = ROOT / "build/docs/reference"
ITEM = re.compile(r"([-*]|\d+\.) ")
ELSEWHERE = re.compile(r"\[([^\]]+)\]\(\.\./[^)]+\)")
NAMED_BLOCK = re.compile(r"^<!-- (\S+) -->\n```(\w+)$", re.MULTILINE)


def on_files(files, config):
    extra = [(path, ROOT) for pattern in ("bench/**/*.md", "bench/results/*.svg") for path in ROOT.glob(pattern)]
    extra += [(path, REFERENCE.parent) for path in REFERENCE.rglob("*") if path.is_file()]
    extra += [(ROOT / "site/site.css", ROOT / "site")]
    for path, root in sorted(extra):
        name = path.relative_to(root).as_posix()
        files.append(File(name, str(root), config.site_dir, config.use_directory_urls))
    return files


def header_page(match):
    """Doxygen's name for the page of a header's class: fair_lock.hpp is classholdfast_1_1fair__lock.html."""
    parts = match[1].removesuffix(".hpp").replace("_", "__").split("/")
    return f"](reference/class{'_1_1'.join(parts)}.html)"


def with_empty_lines_before_lists(lines):
    is_code = is_list = False
    previous = ""
    for line in lines:
        if line.startswith("```"):
            is_code = not is_code
        if not is_code and ITEM.match(line) and previous.strip() and not is_list:
            yield ""
        if not is_code:
            is_list = bool(ITEM.match(line)) or (is_list and line.strip() != "")
        yield line
        previous = line


def on_page_markdown(markdown, page, **_):
    if page.file.src_uri.startswith("bench/"):
        markdown = markdown.replace("](../../docs/", "](../").replace("](../docs/", "](../")
    else:
        markdown = markdown.replace("](../bench/", "](bench/")
        markdown = re.sub(r"\]\(\.\./include/([\w/]+\.hpp)\)", header_page, markdown)
        markdown = ELSEWHERE.sub(r"\1", markdown)
    markdown = NAMED_BLOCK.sub(r'``` {.\2 title="\1"}', markdown)
    return "\n".join(with_empty_lines_before_lists(markdown.split("\n")))
