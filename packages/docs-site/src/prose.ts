import { type Html, html } from '@payments/chassis/base/html'

/** A text of the contracts: paragraphs with `code`, and paths of documentation pages as links. */
export function prose(text: string): Html {
  return html`${text.split('\n\n').map((paragraph) => html`<p>${inline(paragraph)}</p>`)}`
}

/** A text of the contracts in one paragraph. */
export function inline(text: string): Html {
  const parts = text.split('`')
  return html`${parts.map((part, index) => (index % 2 === 0 ? html`${part}` : code(part)))}`
}

/** The path of a page of the documentation becomes a link. */
export function code(text: string): Html {
  const isPage = /^\/(?:docs|problems)(?:\/[\w/-]+)?(?:#[\w-]+)?$|^\/v1\/openapi\.json$/.test(text)
  return isPage ? html`<a href="${text}"><code>${text}</code></a>` : html`<code>${text}</code>`
}
