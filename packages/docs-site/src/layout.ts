import { type Html, html } from '@payments/chassis/base/html'

export interface NavigationLink {
  readonly href: string
  readonly text: string
  /** Links below it, such as the headings of the current page. */
  readonly below?: readonly NavigationLink[]
}

interface Layout {
  readonly title: string
  readonly path: string
  readonly navigation: readonly NavigationLink[]
  readonly content: Html
  /** The path of a script of this page only. */
  readonly script?: string
}

const sections: readonly NavigationLink[] = [
  { href: '/docs', text: 'Guides' },
  { href: '/docs/api', text: 'API reference' },
  { href: '/problems', text: 'Problems' },
  { href: '/docs/search', text: 'Search' },
  { href: '/console', text: 'Console' },
]

/** The frame of every page of the documentation. On a narrow screen the navigation follows the content. */
export function layout({ title, path, navigation, content, script }: Layout): string {
  const hasContents = navigation.length > 0
  const section = sections.filter(({ href }) => path.startsWith(href)).at(-1)
  return `<!doctype html>\n${
    html`<html lang="en">
<head>
<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · Payment Service</title>
<link rel="icon" href="/docs/icon.svg"><link rel="stylesheet" href="/docs/style.css">
<script src="/docs/docs.js" defer></script>${script === undefined ? null : html`<script src="${script}" defer></script>`}
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header>
<a class="brand" href="/docs">Payment Service</a>
<nav aria-label="Sections">${sections.map((link) => anchor(link, link !== section ? undefined : link.href === path ? 'page' : 'true'))}</nav>
${hasContents ? html`<a class="to-contents" href="#contents">Contents</a>` : null}
</header>
<div class="columns">
<main id="content" tabindex="-1">
${content}
</main>
${
  hasContents
    ? html`<nav id="contents" aria-label="Contents" tabindex="-1">
${list(navigation, path)}
</nav>`
    : null
}
</div>
</body>
</html>
`.text
  }`
}

function list(links: readonly NavigationLink[], path: string): Html {
  return html`<ul>${links.map((link) => {
    const below = link.below?.length ? list(link.below, path) : null
    return html`<li>${anchor(link, link.href === path ? 'page' : undefined)}${below}</li>`
  })}</ul>`
}

function anchor({ href, text }: NavigationLink, current: 'page' | 'true' | undefined): Html {
  return html`<a href="${href}"${current === undefined ? null : html` aria-current="${current}"`}>${text}</a> `
}
