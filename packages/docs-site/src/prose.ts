import { type Html, html, verbatim } from '@payments/chassis/base/html'
import highlighter from 'highlight.js/lib/core'
import bash from 'highlight.js/lib/languages/bash'
import go from 'highlight.js/lib/languages/go'
import json from 'highlight.js/lib/languages/json'
import python from 'highlight.js/lib/languages/python'
import typescript from 'highlight.js/lib/languages/typescript'

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

const languages = { sh: bash, go, json, python, ts: typescript }
for (const [name, language] of Object.entries(languages)) highlighter.registerLanguage(name, language)

/** Code with colours, or as it is in a language without them. */
export function highlight(text: string, language: string): Html {
  return language in languages ? verbatim(highlighter.highlight(text, { language }).value) : html`${text}`
}
